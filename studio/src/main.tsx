import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { newRouter } from './app/router.tsx';
import { DataProvider } from './data/data-context.tsx';
import { HttpData } from './data/http-data.ts';
import { pinInAddress } from './data/pin.ts';
import { newQueryClient } from './data/query-client.ts';
import { takeToken } from './data/token.ts';

const place = document.getElementById('studio');
if (place === null) throw new Error('The page has no place for the app');
const client = newQueryClient();
const data = new HttpData(takeToken(), pinInAddress());
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <DataProvider data={data}>
        <RouterProvider router={newRouter({ client, data })} />
      </DataProvider>
    </QueryClientProvider>
  </StrictMode>,
);
