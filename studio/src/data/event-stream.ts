import { linesOf } from './lines.ts';

export interface StreamedEvent {
  readonly id: string | undefined;
  readonly data: string;
}

/**
 * Server-sent events of a body. Not `EventSource`, which can neither send the token nor go on after an event that another tab has
 * seen.
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<StreamedEvent> {
  let id: string | undefined;
  let data: string[] = [];
  for await (const raw of linesOf(body)) {
    const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (line === '') {
      if (data.length > 0) yield { id, data: data.join('\n') };
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'id') id = value;
  }
}
