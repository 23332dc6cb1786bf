import { type Context, Hono } from 'hono';
import { assert, UsageError } from '../base/index.ts';
import { type Access, checkAsker, cookieName, hasToken, isSame, needToken } from './access.ts';
import { answer, jsonAnswer, pinOf, takesGzip } from './answer.ts';
import { ROUTES, type RouteName } from './api.ts';
import type { Assets } from './assets.ts';
import type { Handler } from './call.ts';
import { problemOf, statusOf } from './error-answer.ts';
import { liveAnswer } from './live-answer.ts';
import { openApi } from './openapi.ts';
import { strictText } from './strict-text.ts';
import type { Studio, StudioLease } from './studio.ts';

/** One function for every route but the event stream. */
export type Handlers = { readonly [Name in Exclude<RouteName, 'live'>]: Handler<Name> };

export interface AppOptions {
  readonly studio: Studio;
  readonly handlers: Handlers;
  readonly assets: Assets;
  readonly access: Access;
  readonly port: number;
  /** Told what is our own bug, or nobody would know. */
  readonly onBug: (error: unknown) => void;
}

const HEADERS: Readonly<Record<string, string>> = {
  // Nothing from elsewhere, and no script but our own files: what a model writes can neither run nor call home.
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' data: blob:; " +
    "worker-src 'self' blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};

/** The whole Studio: its API, its pages, and who may ask. */
export function studioApp(options: AppOptions): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    // Also on refusals, which are answers by now.
    for (const [name, value] of Object.entries(HEADERS)) context.res.headers.set(name, value);
  });
  app.use(async (context, next) => {
    checkAsker(askerOf(context), options.access);
    const entered = enter(context, options);
    if (entered) return entered;
    const isTokenNeeded = options.access.isTokenForAll || context.req.method !== 'GET';
    if (isTokenNeeded && !hasToken(askerOf(context), options.access, options.port)) throw needToken();
    return next();
  });
  addRoutes(app, options);
  app.get('/openapi.json', (context) =>
    jsonAnswer(context, strictText(openApi()), { 'cache-control': 'no-cache' }),
  );
  app.get('*', (context) => asset(context, options.assets));
  app.notFound((context) => {
    throw noPage(context);
  });
  app.onError((error, context) => {
    const status = statusOf(error);
    if (status === 500) bugsFor(context, options)(error);
    context.header('cache-control', 'no-store');
    return context.json({ error: problemOf(error) }, status);
  });
  return app;
}

/** Where the asker left, or the server is being stopped, what was read for them may be closed under the reading: that is no bug. */
function bugsFor(context: Context, { onBug }: AppOptions): (error: unknown) => void {
  return (error) => {
    if (!context.req.raw.signal.aborted) onBug(error);
  };
}

function askerOf(context: Context) {
  const { method } = context.req;
  const header = (name: string) => context.req.header(name);
  return {
    method,
    host: header('host'),
    origin: header('origin'),
    fetchSite: header('sec-fetch-site'),
    authorization: header('authorization'),
    cookie: header('cookie'),
  };
}

/** The address that is printed has the token. It becomes a cookie, so that it neither stays in the address nor in a history. */
function enter(context: Context, { access, port }: AppOptions): Response | undefined {
  const given = context.req.query('token');
  if (given === undefined || context.req.method !== 'GET') return undefined;
  if (!isSame(given, access.token)) throw needToken();
  const url = new URL(context.req.url);
  url.searchParams.delete('token');
  context.header('set-cookie', `${cookieName(port)}=${access.token}; Path=/; HttpOnly; SameSite=Strict`);
  return context.redirect(`${url.pathname}${url.search}`, 303);
}

function addRoutes(app: Hono, options: AppOptions): void {
  const names = Object.keys(ROUTES) as RouteName[];
  for (const name of names) {
    if (name === 'live') {
      app.get(ROUTES.live.path, (context) => liveAnswer(context, options.studio));
      continue;
    }
    addRoute(app, name, options);
  }
}

function addRoute<Name extends Exclude<RouteName, 'live'>>(app: Hono, name: Name, options: AppOptions): void {
  const { studio, handlers, assets } = options;
  const { method, path, page } = ROUTES[name];
  const handler: Handler<Name> = handlers[name];
  const ask = async (context: Context) => {
    const isTrusted = hasToken(askerOf(context), options.access, options.port);
    const onBug = bugsFor(context, options);
    const lease = await leaseOf(studio, pinOf(context, name));
    return answer(context, { name, handler, lease, params: context.req.param(), isTrusted, onBug });
  };
  app.on(method.toUpperCase(), path, ask);
  // A page and the same as JSON have one address: agents and scripts read what people see.
  if (page !== undefined)
    app.get(page, (context) => (wantsJson(context) ? ask(context) : appPage(context, assets)));
}

/** What is served, or its results as they were at the commit that the address names. */
async function leaseOf(studio: Studio, commit: string | undefined): Promise<StudioLease> {
  if (commit === undefined) return { studio, [Symbol.dispose]: () => undefined };
  assert(studio.at, 'what is served is not pinned itself');
  return await studio.at(commit);
}

function wantsJson(context: Context): boolean {
  const accepted = context.req.header('accept') ?? '';
  return /application\/(json|x-ndjson)/.test(accepted) && !/text\/html/.test(accepted);
}

/** Every page is the app, which looks at the address itself. */
function appPage(context: Context, assets: Assets): Promise<Response> {
  return send(context, assets, '/index.html');
}

const PAGES = /^\/(?:$|(?:runs|compare|matrix|evals|search|review|store)(?:\/|$))/;

async function asset(context: Context, assets: Assets): Promise<Response> {
  const path = context.req.path;
  return send(context, assets, PAGES.test(path) ? '/index.html' : path);
}

async function send(context: Context, assets: Assets, path: string): Promise<Response> {
  const found = await assets.get(path);
  if (!found) throw noPage(context);
  const etag = `"${found.tag}"`;
  const headers = {
    'content-type': found.type,
    'cache-control': found.isForever ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'Accept, Accept-Encoding',
    etag,
  };
  if (context.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers });
  if (!found.gzipped || !takesGzip(context)) return new Response(found.bytes, { headers });
  return new Response(found.gzipped, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

function noPage(context: Context): UsageError {
  return new UsageError({
    code: 'E_STUDIO_NO_PAGE',
    message: `There is nothing at ${context.req.path.slice(0, 200)}.`,
    hint: 'Begin at /runs, or see /openapi.json for what can be asked.',
  });
}
