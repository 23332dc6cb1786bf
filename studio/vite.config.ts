/** Builds the Studio's app into the package, and serves it with hot reload while it is being worked on. */
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = process.env.HOLDFAST_STUDIO_API ?? 'http://127.0.0.1:4646';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  resolve: { alias: [{ find: /^zod$/, replacement: resolve(import.meta.dirname, 'src/data/zod.ts') }] },
  build: {
    outDir: resolve(import.meta.dirname, '../dist/studio'),
    emptyOutDir: true,
    // What the server's policy forbids: scripts and styles written into the page as data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Else what pages share falls into dozens of files of a kilobyte, which compress badly and are asked for one by one.
        codeSplitting: {
          groups: [
            {
              name: 'vendor',
              test: /node_modules\/(react|react-dom|scheduler|use-sync-external-store|zod|@tanstack)\//,
              priority: 2,
            },
            {
              name: 'shared',
              test: /(studio\/src\/(app|data|ui)|src\/(views|server))\//,
              minShareCount: 3,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    // The server answers only pages of its own origin: here they are.
    proxy: { '/api': { target: api, changeOrigin: true, headers: { origin: api } } },
  },
});
