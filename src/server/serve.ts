import { type AddressInfo, isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { type ServerType, serve } from '@hono/node-server';
import { ActionableError, errnoOf, type Random } from '../base/index.ts';
import type { Access } from './access.ts';
import { studioApp } from './app.ts';
import type { Assets } from './assets.ts';
import { handlers } from './handlers.ts';
import type { Studio } from './studio.ts';

export interface ServeOptions {
  readonly studio: Studio;
  readonly assets: Assets;
  readonly random: Random;
  /** `127.0.0.1` unless another was asked for. */
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** One is made up when none is given. */
  readonly token?: string | undefined;
  readonly onBug: (error: unknown) => void;
}

export interface ServedStudio extends AsyncDisposable {
  /** Without the token. */
  readonly url: string;
  /** Which lets whoever opens it write. */
  readonly urlWithToken: string;
}

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/** Serves the Studio until it is disposed. On any address but this machine's own everything needs the token. */
export async function serveStudio(options: ServeOptions): Promise<ServedStudio> {
  const { studio, assets, random, host, onBug } = options;
  const token = options.token ?? Buffer.from(random.bytes(24)).toString('base64url');
  // The port is known only once it listens, and the app has to know its own name.
  let app: ReturnType<typeof studioApp> | undefined;
  const server = await listen(options, (request, env) => {
    if (!app) throw new Error('it listens before it can answer');
    return app.fetch(request, env);
  });
  const { port } = server.address() as AddressInfo;
  const isOwn = LOOPBACK.has(host);
  const access: Access = { hosts: isOwn ? ownNames(port) : undefined, token, isTokenForAll: !isOwn };
  app = studioApp({ studio, handlers, assets, access, port, onBug });
  const url = `http://${reachable(host)}:${port}`;
  return {
    url,
    urlWithToken: `${url}/?token=${token}`,
    [Symbol.asyncDispose]: () => close(server),
  };
}

/** All addresses of a machine together are none that can be opened: its first one is. */
function reachable(host: string): string {
  const isAll = host === '0.0.0.0' || host === '::';
  const family = isIP(host) === 6 ? 'IPv6' : 'IPv4';
  const first = isAll
    ? Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .find((one) => one.family === family && !one.internal && (one.scopeid ?? 0) === 0)?.address
    : undefined;
  const name = first ?? (isAll ? hostname() : host);
  return isIP(name) === 6 ? `[${name}]` : name;
}

function ownNames(port: number): ReadonlySet<string> {
  return new Set(['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`));
}

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

function listen({ host, port }: Pick<ServeOptions, 'host' | 'port'>, fetch: Fetch): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, hostname: host, port }, () => resolve(server));
    server.once('error', (error) => reject(cannotListen(error, host, port)));
  });
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const errno = errnoOf(error);
  if (errno !== 'EADDRINUSE' && errno !== 'EACCES' && errno !== 'EADDRNOTAVAIL') return error;
  const why = {
    EADDRINUSE: 'it is in use',
    EACCES: 'it is not allowed',
    EADDRNOTAVAIL: 'it is not of this machine',
  };
  return new ActionableError({
    code: 'E_STUDIO_PORT',
    message: `The Studio cannot listen on ${host}:${port}: ${why[errno]}.`,
    hint: 'Name another with --port (0 takes any that is free) or --host.',
    cause: error,
  });
}

/** Event streams never end by themselves. */
function close(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}
