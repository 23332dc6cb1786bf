import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Context } from 'hono';
import { digestOf, isJsonObject, type Json, UsageError } from '../base/index.ts';
import { pin, pinName, type QueryOf, ROUTES, type RouteName } from './api.ts';
import type { Call, Handler } from './call.ts';
import { problemOf, statusOf } from './error-answer.ts';
import { strictText } from './strict-text.ts';
import type { StudioLease } from './studio.ts';

const compress = promisify(gzip);
/** Below, compressing costs more than it saves. */
const COMPRESS_CHARS_MIN = 1_024;

/** Thrown by `sameAs`: the asker has the answer already. */
class NotModified extends Error {}

export interface Asked<Name extends RouteName> {
  readonly name: Name;
  readonly handler: Handler<Name>;
  /** Given back when all of the answer is sent. */
  readonly lease: StudioLease;
  readonly params: Readonly<Record<string, string>>;
  readonly isTrusted: boolean;
  readonly onBug: (error: unknown) => void;
}

/** Checks what is asked, asks the handler, and sends what it answers. */
export async function answer<Name extends RouteName>(
  context: Context,
  asked: Asked<Name>,
): Promise<Response> {
  const { name, handler, lease, params, onBug } = asked;
  using held = new DisposableStack();
  const { studio } = held.use(lease);
  const tag: { text?: string } = {};
  const call = await callOf(context, asked, (query, of) => {
    const all = [name, studio.pinned?.commit ?? '', params, query, of];
    tag.text = `"${digestOf(JSON.stringify(all)).slice(0, 24)}"`;
    if (isKnown(context.req.header('if-none-match'), tag.text)) throw new NotModified();
  });
  const headers = () => ({ 'cache-control': 'no-cache', ...(tag.text !== undefined && { etag: tag.text }) });
  try {
    const given = handler(call);
    if (Symbol.asyncIterator in given)
      return new Response(linesOf(given, onBug, held.move()), {
        headers: { ...headers(), 'content-type': 'application/x-ndjson' },
      });
    return await jsonAnswer(context, strictText(await given), headers());
  } catch (error) {
    if (error instanceof NotModified) return new Response(null, { status: 304, headers: headers() });
    throw error;
  }
}

/** One thing that a page shows: the answer itself, or a member of it. */
export interface PagePart {
  readonly member: string | undefined;
  readonly ask: () => Promise<Asked<RouteName>>;
}

/** All that a page shows, in one document. */
export async function answerPage(context: Context, parts: readonly PagePart[]): Promise<Response> {
  using held = new DisposableStack();
  const shown: Record<string, unknown> = {};
  const made: unknown[] = [];
  for (const { member, ask } of parts) {
    const asked = await ask();
    const { studio } = held.use(asked.lease);
    let isToldApart = false;
    const call = await callOf(context, asked, (query, of) => {
      isToldApart = true;
      made.push(asked.name, studio.pinned?.commit ?? '', asked.params, query, of);
    });
    const given: unknown = await asked.handler(call);
    if (!isToldApart) made.push(undefined);
    Object.assign(shown, member === undefined ? given : { [member]: given });
  }
  const etag = made.includes(undefined) ? undefined : `"${digestOf(JSON.stringify(made)).slice(0, 24)}"`;
  const headers = { 'cache-control': 'no-cache', ...(etag !== undefined && { etag }) };
  if (etag !== undefined && isKnown(context.req.header('if-none-match'), etag))
    return new Response(null, { status: 304, headers });
  return jsonAnswer(context, strictText(shown), headers);
}

/** The request as a handler gets it. `onSame` is told of what the answer is made. */
async function callOf<Name extends RouteName>(
  context: Context,
  { name, lease: { studio }, params, isTrusted }: Asked<Name>,
  onSame: (query: QueryOf<Name>, of: readonly (string | number | undefined)[]) => void,
): Promise<Call<Name>> {
  const { query, body } = await readAsked(context, name);
  const sameAs: Call<Name>['sameAs'] = (...of) => {
    if (!of.includes(undefined)) onSame(query, of);
  };
  return { studio, params, query, body, isTrusted, signal: context.req.raw.signal, sameAs };
}

export async function jsonAnswer(
  context: Context,
  text: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const all = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    vary: 'Accept, Accept-Encoding',
  };
  if (text.length < COMPRESS_CHARS_MIN || !takesGzip(context)) return new Response(text, { headers: all });
  const bytes = await compress(text, { level: 3 });
  return new Response(new Uint8Array(bytes), { headers: { ...all, 'content-encoding': 'gzip' } });
}

export function takesGzip(context: Context): boolean {
  return /\bgzip\b/.test(context.req.header('accept-encoding') ?? '');
}

async function readAsked<Name extends RouteName>(
  context: Context,
  name: Name,
): Promise<{ readonly query: QueryOf<Name>; readonly body: unknown }> {
  const { query, body } = ROUTES[name];
  const asked = query.safeParse(context.req.query());
  if (!asked.success) throw wrongQuestion(asked.error.issues[0], 'The address');
  if (!body) return { query: asked.data as QueryOf<Name>, body: undefined };
  const given = body.safeParse(await readJson(context));
  if (!given.success) throw wrongQuestion(given.error.issues[0], 'The body');
  return { query: asked.data as QueryOf<Name>, body: given.data };
}

/** The commit of the results that the address names. It is looked at before what the route itself takes. */
export function pinOf(context: Context, name: RouteName): string | undefined {
  const key = pinName(ROUTES[name]);
  const given = context.req.query(key);
  if (given === undefined) return undefined;
  const read = pin.safeParse(given);
  if (!read.success)
    throw wrongQuestion({ path: [key], message: read.error.issues[0]?.message ?? '' }, 'The address');
  return read.data;
}

/** Forms of other sites cannot send this type without asking first. */
async function readJson(context: Context): Promise<Json> {
  const type = context.req.header('content-type') ?? '';
  if (!type.startsWith('application/json'))
    throw wrongQuestion(undefined, 'The body is no JSON: its content type');
  try {
    const value: Json = await context.req.json();
    return isJsonObject(value) ? value : {};
  } catch (error) {
    throw wrongQuestion({ path: [], message: String(error) }, 'The body');
  }
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function wrongQuestion(issue: Issue | undefined, what: string): UsageError {
  const where = issue && issue.path.length > 0 ? ` (${issue.path.map(String).join('.')})` : '';
  return new UsageError({
    code: 'E_STUDIO_QUESTION',
    message: `${what}${where} is not what this route takes${issue ? `: ${issue.message}` : ''}.`,
    hint: 'See /openapi.json for what may be asked.',
  });
}

function isKnown(known: string | undefined, tag: string): boolean {
  return known?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) ?? false;
}

/** One line an answer. What fails on the way is the last line: the status has been sent. What is held is let go at the end. */
function linesOf(
  answers: AsyncIterable<unknown>,
  onBug: (error: unknown) => void,
  held: Disposable,
): ReadableStream<Uint8Array> {
  const iterator = answers[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const end = (controller: ReadableStreamDefaultController) => {
    held[Symbol.dispose]();
    controller.close();
  };
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await iterator.next();
        if (next.done) end(controller);
        else controller.enqueue(encoder.encode(`${strictText(next.value)}\n`));
      } catch (error) {
        if (statusOf(error) === 500) onBug(error);
        controller.enqueue(encoder.encode(`${strictText({ error: problemOf(error) })}\n`));
        end(controller);
      }
    },
    async cancel() {
      using _ = held;
      await iterator.return?.();
    },
  });
}
