/**
 * Builds the Studio's app for static exports: one classic script, one style sheet and a page, with everything that the app would load later
 * in them. From `file://` a browser takes no modules, no `fetch` and no workers by address.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const HERE = import.meta.dirname;

/** The page itself, and what has to run before the app. */
function pageFiles(): Plugin {
  return {
    name: 'holdfast-export-page',
    generateBundle() {
      for (const fileName of ['index.html', 'early.js'])
        this.emitFile({
          type: 'asset',
          fileName,
          source: readFileSync(join(HERE, 'export', fileName), 'utf8'),
        });
    },
  };
}

/** What is started by its address when there is a server is part of the script here. */
function inlineWorkers(): Plugin {
  return {
    name: 'holdfast-export-workers',
    enforce: 'pre',
    resolveId(source, importer) {
      if (!source.endsWith('/start-diff-worker.ts')) return undefined;
      return this.resolve(source.replace(/\.ts$/, '-inline.ts'), importer, { skipSelf: true });
    },
  };
}

export default defineConfig({
  root: HERE,
  base: './',
  resolve: { alias: [{ find: /^zod$/, replacement: resolve(HERE, 'src/data/zod.ts') }] },
  plugins: [react(), pageFiles(), inlineWorkers()],
  build: {
    outDir: resolve(HERE, '../dist/studio-export'),
    emptyOutDir: true,
    // Fonts and pictures become part of the style sheet and the script: those of other files would be of another origin.
    assetsInlineLimit: Number.MAX_SAFE_INTEGER,
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 10_000,
    rolldownOptions: {
      input: join(HERE, 'src/main-export.tsx'),
      // Only Vite's own loader of modules looks at it, and here it has none to load.
      transform: { define: { 'import.meta': '{}' } },
      output: {
        format: 'iife',
        codeSplitting: false,
        entryFileNames: 'app.js',
        assetFileNames: (asset) =>
          asset.names.some((name) => name.endsWith('.css')) ? 'app.css' : '[name][extname]',
      },
    },
  },
  worker: { format: 'iife' },
});
