import { definedOf, toJson } from '../base/index.ts';
import type { LogEvent } from '../log/index.ts';
import { failureText } from './failure-text.ts';
import type { PlainHeaders } from './http-headers.ts';
import { type EventSource, type EventStart, finishEvent, secondsSince } from './log-event.ts';

/** One HTTP exchange, as the transcript shows it. Secrets are taken out by whoever tells it. */
export interface HttpExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: PlainHeaders;
  readonly body?: string | undefined;
  readonly status?: number;
  readonly responseHeaders?: PlainHeaders;
  /** What came, where it is text and nobody else shows it. */
  readonly response?: string | undefined;
  readonly error?: unknown;
  readonly retries?: number;
  readonly isReplayed: boolean;
}

export function httpEvent(
  source: EventSource & { readonly redact: (text: string) => string },
  start: EventStart,
  exchange: HttpExchange,
): LogEvent {
  const { status, error, retries = 0, body, response, responseHeaders, isReplayed } = exchange;
  return finishEvent(source, start, {
    event: 'info',
    source: 'http',
    data: {
      method: exchange.method,
      url: exchange.url,
      headers: toJson(exchange.headers),
      ...definedOf({ body, status }),
      ...(responseHeaders !== undefined && { response_headers: toJson(responseHeaders) }),
      ...(response !== undefined && { response }),
      ...(error !== undefined && { error: source.redact(failureText(error)) }),
      ...(retries > 0 && { retries }),
      time: secondsSince(source, start),
    },
    ...(isReplayed && { metadata: { holdfast: { replayed: true } } }),
  });
}
