/** Stands between a client and a real server, and spoils what it is told to spoil. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of one request. */
export type Fault =
  /** Answered so, without asking the server. */
  | { readonly kind: 'status'; readonly status: number; readonly code: string }
  /** The connection ends before the server is asked. */
  | { readonly kind: 'reset' }
  /** The server does it, and nobody hears of it. */
  | { readonly kind: 'lost answer' }
  /** So many bytes of the answer come, and no more. */
  | { readonly kind: 'cut'; readonly bytes: number }
  | { readonly kind: 'slow'; readonly ms: number };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

export interface FaultProxy extends AsyncDisposable {
  readonly endpoint: string;
  /** Every request that came, and how many bytes of bodies went out. */
  readonly seen: Seen[];
  sentBytes: number;
  /** Asked for each request; undefined lets it through. */
  fault: (seen: Seen, count: number) => Fault | undefined;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((asked, answer) => void handle(asked, answer));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: FaultProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    sentBytes: 0,
    fault: () => undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };

  async function handle(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const seen = { method: asked.method ?? '', path: asked.url ?? '', headers: asked.headers };
    proxy.seen.push(seen);
    const fault = proxy.fault(seen, proxy.seen.length);
    if (fault?.kind === 'reset') return void asked.socket.destroy();
    if (fault?.kind === 'status') {
      asked.resume();
      answer.writeHead(fault.status, { 'content-type': 'application/xml' });
      answer.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>made up</Message></Error>`);
      return;
    }
    if (fault?.kind === 'slow') await sleep(fault.ms);
    // As it came, the name of the host as well: it is signed.
    const passed = request({ hostname, port, method: asked.method, path: asked.url, headers: asked.headers });
    asked.pipe(passed);
    passed.on('error', () => asked.socket.destroy());
    passed.on('response', (found) => {
      if (fault?.kind === 'lost answer') {
        found.resume();
        found.on('end', () => asked.socket.destroy());
        return;
      }
      answer.writeHead(found.statusCode ?? 500, found.headers);
      let left = fault?.kind === 'cut' ? fault.bytes : Number.POSITIVE_INFINITY;
      found.on('data', (chunk: Buffer) => {
        const some = chunk.subarray(0, left);
        left -= some.length;
        proxy.sentBytes += some.length;
        answer.write(some);
        if (left <= 0) asked.socket.destroy();
      });
      found.on('end', () => answer.end());
    });
  }
  return proxy;
}
