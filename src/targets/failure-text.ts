import { messageOf } from '../base/index.ts';

/** A page of HTML that a proxy sends instead of an answer says nothing more after this many characters. */
const BODY_CHARS_MAX = 2_000;
const DEPTH_MAX = 8;

/**
 * Why a call failed, with every cause that says something new: `fetch failed` alone helps nobody, and what lies behind it
 * (`connect ECONNREFUSED 127.0.0.1:11434`) does.
 */
export function failureText(error: unknown): string {
  const parts: string[] = [];
  for (const text of [...messagesIn(error, 0), bodyOf(error)]) {
    const said = text.trim().replace(/[\s:]+$/, '');
    if (said !== '' && !parts.some((part) => part.includes(said))) parts.push(said);
  }
  // What a later part says whole need not be said by an earlier one.
  const news = parts.filter((part, index) => !parts.slice(index + 1).some((later) => later.includes(part)));
  const last = news.length - 1;
  const said = news.map((part, index) => (index < last ? part.replace(/\.+$/, '') : part));
  return said.length === 0 ? messageOf(error) : said.join(': ');
}

function messagesIn(error: unknown, depth: number): string[] {
  if (depth > DEPTH_MAX || error === undefined || error === null) return [];
  if (!(error instanceof Error)) return depth === 0 ? [messageOf(error)] : [];
  // Where a name has several addresses, the error has no words of its own, but one error for each.
  const several: unknown = Reflect.get(error, 'errors');
  const inner = Array.isArray(several) ? several.slice(0, DEPTH_MAX) : [];
  return [
    error.message,
    ...inner.flatMap((one) => messagesIn(one, depth + 1)),
    ...messagesIn(error.cause, depth + 1),
  ];
}

/** What the server said, where the provider's SDK could not make a sentence of it. */
function bodyOf(error: unknown): string {
  const body: unknown = error instanceof Error ? Reflect.get(error, 'responseBody') : undefined;
  if (typeof body !== 'string') return '';
  const said = sentenceIn(body);
  return said.length <= BODY_CHARS_MAX ? said : `${said.slice(0, BODY_CHARS_MAX)} […]`;
}

/** `{"error":{"message":"…"}}` and its like say it in one place. */
function sentenceIn(body: string): string {
  const found = /"(?:message|error|detail)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1];
  if (found === undefined) return body;
  try {
    return String(JSON.parse(found));
  } catch {
    return body; // Not the JSON that it looked like: the whole text then.
  }
}
