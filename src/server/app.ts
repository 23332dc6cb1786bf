import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { assert, UsageError } from '../base/index.ts';
import { formatBytes, textOfSegment } from '../views/index.ts';
import { type Access, checkAsker, cookieName, hasToken, isSame, needToken } from './access.ts';
import { type Asked, answer, answerPage, jsonAnswer, type PagePart, pinOf, takesGzip } from './answer.ts';
import { ROUTES, type Route, type RouteName } from './api.ts';
import type { Assets } from './assets.ts';
import type { Handler } from './call.ts';
import { problemOf, statusOf } from './error-answer.ts';
import { errorPage } from './error-page.ts';
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
    if (!METHODS.has(context.req.method)) throw noMethod(context.req.method);
    const isTokenNeeded = options.access.isTokenForAll || context.req.method === 'POST';
    if (isTokenNeeded && !hasToken(askerOf(context), options.access, options.port)) throw needToken();
    return next();
  });
  // What people say is short.
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAX, onError: tooLong }));
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
    if (status === 405) context.header('allow', [...METHODS].join(', '));
    // Whoever opens an address in a browser is told in words.
    if (wantsHtml(context)) return context.html(errorPage(problemOf(error)), status);
    return context.json({ error: problemOf(error) }, status);
  });
  return app;
}

const BODY_BYTES_MAX = 1_000_000;

function tooLong(): never {
  throw new UsageError({
    code: 'E_STUDIO_QUESTION',
    message: `The body is larger than ${formatBytes(BODY_BYTES_MAX)}.`,
    hint: 'Say less at a time.',
  });
}

/** Reading and saying something is all that can be done here. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

function noMethod(method: string): UsageError {
  return new UsageError({
    code: 'E_STUDIO_METHOD',
    message: `Nothing can be done here by ${method.slice(0, 20)}.`,
    hint: 'See /openapi.json for what can be asked.',
  });
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
  // One slash: with two, the rest would be the name of another host.
  return context.redirect(`${url.pathname.replace(/^\/+/, '/')}${url.search}`, 303);
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
  const route: Route = ROUTES[name];
  app.on(route.method.toUpperCase(), route.path, async (context) =>
    answer(context, await askedOf(context, name, options)),
  );
  // A page and the same as JSON have one address: agents and scripts read what people see.
  for (const page of route.page === undefined ? [] : [route.page, ...(route.pages ?? [])])
    app.get(page, (context) =>
      wantsJson(context) ? pageAnswer(context, name, options) : appPage(context, options.assets),
    );
}

async function pageAnswer(
  context: Context,
  name: Exclude<RouteName, 'live'>,
  options: AppOptions,
): Promise<Response> {
  const { besides = {} }: Route = ROUTES[name];
  const others = Object.entries(besides).filter((entry): entry is [string, Exclude<RouteName, 'live'>] =>
    Object.hasOwn(options.handlers, entry[1]),
  );
  if (others.length === 0) return answer(context, await askedOf(context, name, options));
  const parts: PagePart[] = [
    { member: undefined, ask: () => askedOf(context, name, options) },
    ...others.map(([member, other]) => ({ member, ask: () => askedOf(context, other, options) })),
  ];
  return answerPage(context, parts);
}

async function askedOf<Name extends Exclude<RouteName, 'live'>>(
  context: Context,
  name: Name,
  options: AppOptions,
): Promise<Asked<Name>> {
  const handler: Handler<Name> = options.handlers[name];
  const isTrusted = hasToken(askerOf(context), options.access, options.port);
  const onBug = bugsFor(context, options);
  const lease = await leaseOf(options.studio, pinOf(context, name));
  return { name, handler, lease, params: paramsOf(context), isTrusted, onBug };
}

/** What is served, or its results as they were at the commit that the address names. */
async function leaseOf(studio: Studio, commit: string | undefined): Promise<StudioLease> {
  if (commit === undefined) return { studio, [Symbol.dispose]: () => undefined };
  assert(studio.at, 'what is served is not pinned itself');
  return await studio.at(commit);
}

function paramsOf(context: Context): Readonly<Record<string, string>> {
  const given: Readonly<Record<string, string>> = context.req.param();
  return Object.fromEntries(Object.entries(given).map(([name, segment]) => [name, textOfSegment(segment)]));
}

function wantsJson(context: Context): boolean {
  const accepted = context.req.header('accept') ?? '';
  return /application\/(json|x-ndjson)/.test(accepted) && !/text\/html/.test(accepted);
}

function wantsHtml(context: Context): boolean {
  return /text\/html/.test(context.req.header('accept') ?? '') && !context.req.path.startsWith('/api/');
}

/** Every page is the app, which looks at the address itself. */
function appPage(context: Context, assets: Assets): Promise<Response> {
  return send(context, assets, '/index.html');
}

const PAGES = /^\/(?:$|(?:runs|compare|matrix|evals|search|review|store|shared|artifacts)(?:\/|$))/;

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
