// The web page of `inspect view`, on a free port of this machine.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface ServedView extends AsyncDisposable {
  readonly address: string;
}

const PATIENCE_MS = 30_000;

/** Serves a folder of logs until it is let go. */
export async function serveInspectView(python: string, logDir: string): Promise<ServedView> {
  const port = await freePort();
  const args = ['-m', 'inspect_ai', 'view', 'start', '--log-dir', logDir, '--port', String(port)];
  const server = spawn(python, args, { stdio: 'ignore' });
  const stop = async () => {
    server.kill('SIGTERM');
    await once(server, 'close');
  };
  const address = `http://127.0.0.1:${port}/`;
  try {
    await answering(address);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, [Symbol.asyncDispose]: stop };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

async function answering(address: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const answered = await fetch(address).then(
      (response) => response.ok,
      () => false, // not listening yet
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`inspect view does not answer at ${address}`);
}
