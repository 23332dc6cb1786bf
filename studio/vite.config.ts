/** Builds the Studio's app into the package, and serves it with hot reload while it is being worked on. */
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  build: {
    outDir: resolve(import.meta.dirname, '../dist/studio'),
    emptyOutDir: true,
    // What the server's policy forbids: scripts and styles written into the page as data.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': { target: process.env.HOLDFAST_STUDIO_API ?? 'http://127.0.0.1:4646', changeOrigin: true },
    },
  },
});
