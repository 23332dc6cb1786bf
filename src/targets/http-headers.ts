/** Which headers of an HTTP exchange matter: to what is answered, to people who read the transcript, to whoever gets the answer. */

export type PlainHeaders = Readonly<Record<string, string>>;

/** They say who asks, with what program, when, for the how-manyth time, and over which connection; not what is asked. */
const NOT_ASKED = [
  /^(authorization|proxy-authorization|cookie|user-agent|date|host|connection|content-length|expect|te|via)$/,
  /^(accept-encoding|keep-alive|transfer-encoding|upgrade|origin|referer|priority|cache-control|pragma)$/,
  /^(traceparent|tracestate|baggage|b3|sentry-trace|forwarded)$/,
  /^(x-stainless-|x-amz-|amz-sdk-|x-b3-|x-datadog-|x-forwarded-|sec-|cf-)/,
  /(^|[-_])(api-?key|key|token|secret|password|auth|signature|credential|session)s?$/,
  /(idempotency|retry|attempt|timestamp|nonce|api-client|client-version)/,
  /(request|correlation|trace|span|transaction|invocation|client)-?id$/,
];

/** Safe to be read by people. */
const SHOWN = /^(content-type|accept|anthropic-(version|beta)|openai-beta)$/;

/** About the connection, the proxies on the way and the browser; or secret. */
const NOT_KEPT = [
  /^(connection|keep-alive|transfer-encoding|content-encoding|content-length|trailer|upgrade|via|alt-svc)$/,
  /^(set-cookie2?|strict-transport-security|content-security-policy|permissions-policy|report-to|nel|server)$/,
  /^(cf-|access-control-|cross-origin-|x-xss-|x-frame-)/,
];

/** Headers of a request that may change its answer; a header that nobody knows may. */
export function headersAsked(headers: PlainHeaders): PlainHeaders {
  return filtered(headers, (name) => !NOT_ASKED.some((pattern) => pattern.test(name)));
}

/** Headers of a request that the transcript shows. */
export function headersShown(headers: PlainHeaders): PlainHeaders {
  return filtered(headers, (name) => SHOWN.test(name));
}

/** Headers of a response that are recorded, and so given to whoever asked. */
export function headersKept(headers: PlainHeaders): PlainHeaders {
  return filtered(headers, (name) => !NOT_KEPT.some((pattern) => pattern.test(name)));
}

/** Keys that a request carries: nothing that is written about it may hold them. */
export function secretsIn(headers: PlainHeaders): readonly string[] {
  const keys = filtered(headers, (name) => /^(authorization|x-api-key|api-key|x-goog-api-key)$/.test(name));
  return Object.values(keys).map((value) => value.replace(/^(Bearer|Basic) /i, ''));
}

function filtered(headers: PlainHeaders, isIn: (name: string) => boolean): PlainHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(entries.filter(([name]) => isIn(name)).sort(([a], [b]) => (a < b ? -1 : 1)));
}
