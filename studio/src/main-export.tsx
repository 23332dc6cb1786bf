import './styles/tokens.css';
import './styles/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { createHashHistory, RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { newRouter } from './app/router.tsx';
import { DataProvider } from './data/data-context.tsx';
import { ExportData } from './data/export/export-data.ts';
import { newQueryClient } from './data/query-client.ts';

/** The app of a static export: its data lie beside it, and its routes come after `#`. */
const place = document.getElementById('studio');
if (place === null) throw new Error('The page has no place for the app');
const client = newQueryClient();
const data = new ExportData();
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <DataProvider data={data}>
        <RouterProvider router={newRouter({ client, data }, createHashHistory())} />
      </DataProvider>
    </QueryClientProvider>
  </StrictMode>,
);
