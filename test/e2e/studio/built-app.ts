/** The Studio's app, built from what is in the checkout. Not in dist/, which others may be building at this moment. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../../src/base/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/holdfast-studio');

/** Where the built app lies; built if that was not done for exactly these sources yet. `export`: that of static exports. */
export function builtApp(kind: 'served' | 'export' = 'served'): string {
  const dir = join(CACHE, digestOf(`production ${kind}\n${sources()}`).slice(0, 16));
  if (existsSync(join(dir, 'index.html'))) return dir;
  mkdirSync(CACHE, { recursive: true });
  const made = `${dir}.${process.pid}`;
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
  const config = join(ROOT, 'studio', kind === 'served' ? 'vite.config.ts' : 'vite.export.config.ts');
  const args = [vite, 'build', '--config', config, '--outDir', made, '--emptyOutDir', '--logLevel', 'warn'];
  // As it is published: the test runner's own word for it would bring React's checks along.
  const env = { ...process.env, NODE_ENV: 'production' };
  const build = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: ROOT, env });
  if (build.status !== 0) throw new Error(`The app could not be built:\n${build.stdout}${build.stderr}`);
  try {
    renameSync(made, dir);
  } catch (error) {
    // Another worker was quicker, and built the same.
    if (!existsSync(join(dir, 'index.html'))) throw error;
    rmSync(made, { recursive: true, force: true });
  }
  return dir;
}

/** Everything that the app is made of. */
function sources(): string {
  const globs = [
    'studio/**/*',
    'src/views/**/*.ts',
    'src/server/api.ts',
    'src/server/api/*.ts',
    'package-lock.json',
  ];
  return globs
    .flatMap((glob) => globSync(glob, { cwd: ROOT }))
    .filter((path) => !path.includes('node_modules') && statSync(join(ROOT, path)).isFile())
    .sort()
    .map((path) => `${path}\n${digestOf(readFileSync(join(ROOT, path)))}`)
    .join('\n');
}
