import { z } from 'zod';
import type {
  AnyJson,
  DocumentPlace,
  EventsPage,
  MessagesPage,
  Skeleton,
  TextPiece,
  WrittenSample,
  WrittenTranscript,
} from '../../../../src/server/api.ts';
import { parseAnswer } from '../parse-answer.ts';
import { leftOut, notHere } from './export-problems.ts';
import type { AskedSample, Written } from './written.ts';

/** A page is given in parts when its events are large, as the server does. */
const PAGE_UNITS_MAX = 2_000_000;

type Pages = readonly (readonly [number, DocumentPlace])[];

interface Asked {
  readonly from: number;
  readonly limit: number;
  readonly attempt?: number | undefined;
}

export function transcriptOf(sample: WrittenSample, attempt: number | undefined): WrittenTranscript {
  if (attempt === undefined) return sample.transcript;
  const found = sample.attempts.find(([number]) => number === attempt)?.[1];
  // The number after the failed ones is the try that counts.
  if (found ?? attempt === sample.attempts.length + 1) return found ?? sample.transcript;
  throw notHere(`attempt ${attempt} of this sample`);
}

export async function skeletonOf(written: Written, key: AskedSample, asked: Asked): Promise<Skeleton> {
  const transcript = transcriptOf(await written.sample(key), asked.attempt);
  const [begin, place] = pageAt(transcript.skeleton, asked.from);
  const page = parseAnswer('skeleton', await written.answer(place));
  const first = asked.from - begin;
  const cut = <Item>(column: Item[]) => column.slice(first, first + asked.limit);
  const { columns } = page;
  return {
    ...page,
    from: asked.from,
    columns: {
      kind: cut(columns.kind),
      lane: cut(columns.lane),
      depth: cut(columns.depth),
      turn: cut(columns.turn),
      start: cut(columns.start),
      durationMs: cut(columns.durationMs),
      tokens: cut(columns.tokens),
      usd: cut(columns.usd),
      flags: cut(columns.flags),
      sizeBytes: cut(columns.sizeBytes),
      label: cut(columns.label),
    },
  };
}

export async function eventsOf(written: Written, key: AskedSample, asked: Asked): Promise<EventsPage> {
  const { events: pages, total } = transcriptOf(await written.sample(key), asked.attempt);
  const events: AnyJson[] = [];
  const messages: Record<string, AnyJson> = {};
  let units = 0;
  const end = Math.min(total, asked.from + asked.limit);
  for (let at = asked.from; at < end && units < PAGE_UNITS_MAX; at = asked.from + events.length) {
    const [begin, place] = pageAt(pages, at);
    const page = parseAnswer('events', await written.answer(place));
    const some = page.events.slice(at - begin, end - begin);
    if (some.length === 0) break;
    events.push(...some);
    Object.assign(messages, page.messages);
    units += place[2];
  }
  // Of a transcript that cannot be read, the first page says why.
  if (total === 0 && pages[0]) await written.answer(pages[0][1]);
  return { from: asked.from, events, messages };
}

export async function eventOf(
  written: Written,
  key: AskedSample,
  { event, attempt }: { readonly event: number; readonly attempt?: number | undefined },
): Promise<AnyJson> {
  const transcript = transcriptOf(await written.sample(key), attempt);
  const { events } = await eventsOf(written, key, { from: event, limit: 1, attempt });
  const [found] = events;
  if (found === undefined) throw notHere(`event ${event} of this transcript`);
  const whole = transcript.whole.find(([number]) => number === event)?.[1];
  return whole ? parseAnswer('event', await written.wholeEvent(whole, found)) : found;
}

export async function eventPlaceOf(
  written: Written,
  key: AskedSample,
  { uuid, attempt }: { readonly uuid: string; readonly attempt?: number | undefined },
): Promise<{ event: number }> {
  const { uuids } = transcriptOf(await written.sample(key), attempt);
  for (const [begin, place] of uuids) {
    const at = (await written.documents.read(place, uuidPage)).indexOf(uuid);
    if (at >= 0) return { event: begin + at };
  }
  throw notHere(`event ${uuid} in this transcript`);
}

const uuidPage = z.array(z.string());

export async function messagesOf(written: Written, key: AskedSample, asked: Asked): Promise<MessagesPage> {
  const { messages: places, answers: among } = await written.sample(key);
  // Where they could not be read, that was the answer.
  const failed = await written.find('messages', { among, params: [], query: {} });
  if (failed) return failed;
  const messages: unknown[] = [];
  let units = 0;
  for (const place of places.slice(asked.from, asked.from + asked.limit)) {
    if (units > PAGE_UNITS_MAX) break;
    messages.push(await written.documents.readOnce(place));
    units += place[2];
  }
  return parseAnswer('messages', { from: asked.from, total: places.length, messages });
}

export async function textOf(
  written: Written,
  key: AskedSample,
  { at, from, length }: { readonly at: string; readonly from: number; readonly length: number },
): Promise<TextPiece> {
  const { texts } = await written.sample(key);
  const found = texts.find(([place]) => place === at);
  if (!found) throw leftOut('more of this here', 'Open the event by itself: there it is whole.');
  const [, units, each, pieces] = found;
  let text = '';
  const end = Math.min(units, from + length);
  for (let piece = Math.floor(from / each); piece * each < end; piece += 1) {
    const place = pieces[piece];
    if (!place) break;
    const whole = await written.documents.read(place, textPieceOf);
    text += whole.slice(Math.max(0, from - piece * each), end - piece * each);
  }
  return { from, length: units, text };
}

const textPieceOf = z.string();

/** The page that an item is on; the last one for what comes after all. */
function pageAt(pages: Pages, index: number): readonly [number, DocumentPlace] {
  let [low, high] = [0, pages.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((pages[middle]?.[0] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  const page = pages[low];
  if (!page) throw notHere('transcript of this sample');
  return page;
}
