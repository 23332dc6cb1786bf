/** Stands between a client and a real server, and spoils what it is told to spoil. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What becomes of one request. */
export type Fault =
  /** Answered so, without asking the server. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly code: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection ends before the server is asked. */
  | { readonly kind: 'reset' }
  /** The server does it, and nobody hears of it. */
  | { readonly kind: 'lost answer' }
  /** So many bytes of the answer come, and no more. */
  | { readonly kind: 'cut'; readonly bytes: number }
  /** The answer comes in pieces of so many bytes, each after a pause. */
  | { readonly kind: 'trickle'; readonly bytes: number; readonly everyMs: number }
  /** So many bytes of the answer come, and then nothing: the connection stays. */
  | { readonly kind: 'stall'; readonly bytes: number }
  /** Nobody answers, and nobody hangs up. */
  | { readonly kind: 'silence' }
  /** Another server in its place. */
  | { readonly kind: 'other'; readonly answer: (body: Buffer) => Promise<OtherAnswer> };

export interface OtherAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

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
      answer.writeHead(fault.status, { 'content-type': 'application/xml', ...fault.headers });
      answer.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code><Message>made up</Message></Error>`);
      return;
    }
    if (fault?.kind === 'silence') return void asked.resume();
    if (fault?.kind === 'other') {
      const { status, headers = {} } = await fault.answer(Buffer.concat(await Array.fromAsync(asked)));
      return void answer.writeHead(status, headers).end();
    }
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
      void pass(found, answer, fault).catch(() => asked.socket.destroy());
    });
  }

  async function pass(
    found: IncomingMessage,
    answer: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const isCut = fault?.kind === 'cut' || fault?.kind === 'stall';
    let left = isCut ? fault.bytes : Number.POSITIVE_INFINITY;
    for await (const piece of piecesOf(found, fault)) {
      const some = piece.subarray(0, left);
      left -= some.length;
      proxy.sentBytes += some.length;
      if (some.length > 0 && !answer.write(some)) await once(answer, 'drain');
      if (left > 0) continue;
      if (fault?.kind === 'cut') answer.socket?.destroy();
      return void found.resume();
    }
    answer.end();
  }
  return proxy;
}

async function* piecesOf(found: IncomingMessage, fault: Fault | undefined): AsyncGenerator<Buffer> {
  for await (const chunk of found as AsyncIterable<Buffer>) {
    if (fault?.kind !== 'trickle') yield chunk;
    else
      for (let at = 0; at < chunk.length; at += fault.bytes) {
        await sleep(fault.everyMs);
        yield chunk.subarray(at, at + fault.bytes);
      }
  }
}
