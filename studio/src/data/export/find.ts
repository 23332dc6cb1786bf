import type { DocumentPlace, FindLine, QueryOf, WrittenTranscript } from '../../../../src/server/api.ts';
import { isToldBefore, type Snippet } from '../../../../src/views/index.ts';
import { parseAnswer } from '../parse-answer.ts';
import { Needle, SampleScan, Turns } from './scan.ts';
import { transcriptOf } from './transcripts.ts';
import type { AskedSample, Written } from './written.ts';

/** Somebody who waits is told at least so often how far it is. */
const TELL_MS = 150;

interface FindAsked {
  readonly query: QueryOf<'find'>;
  readonly signal: AbortSignal;
}

/** Where a text is in a transcript: once an event, from the event that is asked for to the last, and then from the first. */
export async function* findLines(
  written: Written,
  key: AskedSample,
  { query, signal }: FindAsked,
): AsyncGenerator<FindLine> {
  const sample = await written.sample(key);
  const transcript = transcriptOf(sample, query.attempt);
  const scan = new SampleScan(written, new Needle(query.text), new Turns(signal));
  const lines = new Lines(transcript.total, query.limit);
  yield lines.line(false);
  await scan.lookAtTexts(sample);
  const callAt = await callsOf(written, transcript);
  const entered = await scan.enteredOf(transcript, (message, event) =>
    isToldBefore(isObject(message) ? String(message.role) : undefined, callAt(event)),
  );
  for (const page of pagesFrom(transcript, query.from)) {
    const hits = new Map<number, Snippet>();
    await scan.inPage(page.place, page.from, ({ event, before, hit, after }) => {
      if (!hits.has(event)) hits.set(event, { before, hit, after });
    });
    for (let event = page.first; event < page.to; event += 1) {
      const snippet = hits.get(event) ?? entered.get(event)?.[0];
      if (snippet) lines.add(event, snippet);
      lines.scanned += 1;
      if (lines.isFull) break;
    }
    if (lines.isFull) break;
    if (lines.isLate) yield lines.line(false);
  }
  yield lines.line(true);
}

/** Where the first call of a model is, and whether tools have events of their own. */
async function callsOf(
  written: Written,
  { skeleton }: WrittenTranscript,
): Promise<(event: number) => Parameters<typeof isToldBefore>[1]> {
  const kinds: string[] = [];
  let firstCall: number | undefined;
  for (const [from, place] of skeleton) {
    const page = parseAnswer('skeleton', await written.answer(place));
    kinds.splice(page.kindsFrom, page.kinds.length, ...page.kinds);
    const model = kinds.indexOf('model');
    const at = model < 0 || firstCall !== undefined ? -1 : page.columns.kind.indexOf(model);
    if (at >= 0) firstCall = from + at;
  }
  const hasTools = kinds.includes('tool');
  return (event) => ({ isFirstCall: event === firstCall, hasTools });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

class Lines {
  scanned = 0;
  readonly #of: number;
  readonly #limit: number;
  #hits: FindLine['hits'] = [];
  #told = 0;
  #toldMs = 0;

  constructor(of: number, limit: number) {
    this.#of = of;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#told + this.#hits.length >= this.#limit;
  }

  get isLate(): boolean {
    return performance.now() - this.#toldMs >= TELL_MS;
  }

  add(event: number, { before, hit, after }: Snippet): void {
    this.#hits.push({ event, before, hit, after });
  }

  line(isDone: boolean): FindLine {
    const hits = this.#hits;
    this.#told += hits.length;
    this.#hits = [];
    this.#toldMs = performance.now();
    const isAll = !isDone || this.scanned >= this.#of;
    return { scanned: this.scanned, of: this.#of, isDone, isAll, hits };
  }
}

interface PageToScan {
  readonly place: DocumentPlace;
  /** The number of its first event. */
  readonly from: number;
  /** Which of its events are looked at now. */
  readonly first: number;
  readonly to: number;
}

/** The page that is asked for is looked at twice: its end first, and its beginning last. */
function* pagesFrom({ events, total }: WrittenTranscript, asked: number): Generator<PageToScan> {
  const start = asked < total ? asked : 0;
  const pages = events.map(([from, place], index) => ({ from, place, to: events[index + 1]?.[0] ?? total }));
  for (const { from, place, to } of pages)
    if (to > start) yield { from, place, first: Math.max(from, start), to };
  for (const { from, place, to } of pages)
    if (from < start) yield { from, place, first: from, to: Math.min(to, start) };
}
