// `npm run dev:studio [-- --fresh]`: the Studio's app with hot reload, on a generated store of some three hundred runs. The store is
// kept between starts, with what was noted in it; --fresh makes another.
import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ensureInstalled, ROOT, run, say } from './set-up.mjs';

const STORE = join(ROOT, 'node_modules/.cache/holdfast-dev-store');
const BIN = join(ROOT, 'node_modules/.bin');

ensureInstalled();
if (process.argv.includes('--fresh')) rmSync(STORE, { recursive: true, force: true });
if (!existsSync(STORE)) {
  say('Making a store; this is done once');
  run('node', ['scripts/dev-studio-store.ts', STORE]);
}
// The server does not start without an app, though it is not the one that is shown.
if (!existsSync(join(ROOT, 'dist/studio/index.html'))) run('vite', ['build', 'studio', '--logLevel', 'warn']);

const server = start('node', ['bin/holdfast.js', 'studio', STORE, '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
server.stdout.once('data', (printed) => {
  const { url, urlWithToken } = JSON.parse(String(printed));
  if (url === undefined) return process.stderr.write(printed);
  const token = new URL(urlWithToken).searchParams.get('token') ?? '';
  say(`The API is at ${url}. Open the address below with #token=${token} at its end to write notes, too.`);
  return start('vite', ['studio'], { stdio: 'inherit', env: { HOLDFAST_STUDIO_API: url } });
});

/** All of them end with the first that does, and with this program. */
function start(command, args, { stdio, env = {} }) {
  const path = `${BIN}${delimiter}${process.env.PATH ?? ''}`;
  const child = spawn(command, args, { cwd: ROOT, stdio, env: { ...process.env, PATH: path, ...env } });
  process.once('exit', () => child.kill());
  child.once('exit', (code) => process.exit(code ?? 1));
  return child;
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(0));
