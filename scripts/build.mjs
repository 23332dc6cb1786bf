// Builds what is published, in dist/ or in a folder that is named: the types of src/ one by one, its code in a few files, since a
// command that has to open five hundred of them takes twice as long to start, and the Studio's app.
import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { build } from 'vite';
import { ROOT, run } from './set-up.mjs';

const out = resolve(ROOT, process.argv[2] ?? 'dist');
rmSync(out, { recursive: true, force: true });
run('tsc', ['--project', 'tsconfig.build.json', '--outDir', out]);
const bundle = await rolldown({
  input: {
    index: join(ROOT, 'src/index.ts'),
    'cli/main': join(ROOT, 'src/cli/main.ts'),
    // Loaded before all else, so that Ctrl-C is heard meanwhile.
    'cli/signals': join(ROOT, 'src/cli/signals.ts'),
  },
  platform: 'node',
  // The oldest Node that package.json promises; it does not know `using`.
  transform: { target: 'node22.18' },
  // Dependencies stay what they are: installed, shared and replaced by npm.
  external: (id) => !/^[./]|^@oxc-project\/runtime\//.test(id),
  onLog: (level, log) => {
    throw new Error(`${level}: ${log.message}`);
  },
});
await bundle.write({
  dir: out,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // What users see in a stack is to be read.
  minify: false,
});
await build({
  configFile: join(ROOT, 'studio/vite.config.ts'),
  logLevel: 'warn',
  build: { outDir: join(out, 'studio') },
});
// The same app for static exports: from file:// a browser takes one classic script, and no modules.
await build({
  configFile: join(ROOT, 'studio/vite.export.config.ts'),
  logLevel: 'warn',
  build: { outDir: join(out, 'studio-export') },
});
