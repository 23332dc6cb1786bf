import { type TextFilterMaker, visitEvent, visitMessage, withTexts } from '../../views/index.ts';
import type { AnyJson, DocumentPlace, EventsPage, WrittenTranscript } from '../api.ts';
import { strictText } from '../strict-text.ts';
import type { Asking, Params } from './asking.ts';
import type { LongTexts } from './long-texts.ts';
import type { SharedItems } from './shared-items.ts';
import { isPartOfIt, wholeEvent } from './whole-event.ts';

const SKELETON_EVENTS = 20_000;
const PAGE_EVENTS = 100;
const UUIDS = 20_000;
/** Of one transcript no more than that is made whole: with every call a conversation is told once more from its beginning. */
const WHOLE_UNITS_MAX = 100_000_000;

export interface TranscriptOptions {
  readonly asking: Asking;
  readonly sample: Params;
  /** An earlier try, from 1. */
  readonly attempt?: number | undefined;
  readonly texts: LongTexts;
  readonly items: SharedItems;
  readonly filter: TextFilterMaker;
}

/** Writes one try at a sample: its skeleton, its events in pages, and what they refer to. Throws when it cannot be read. */
export async function writeTranscript(options: TranscriptOptions): Promise<WrittenTranscript> {
  const total = await untilRead(options);
  const writing = new TranscriptWriting(options, total);
  await writing.writeSkeleton();
  await writing.writeEvents();
  return writing.written();
}

/** What is asked before all of it was read is told without what comes later. */
async function untilRead({ asking, sample, attempt }: TranscriptOptions): Promise<number> {
  for (let from = 0; ; ) {
    const { known, isWhole } = await asking.ask('skeleton', sample, { from, limit: 1, attempt });
    if (isWhole) return known;
    from = known;
  }
}

type Pages = [number, DocumentPlace][];

class TranscriptWriting {
  readonly #options: TranscriptOptions;
  readonly #total: number;
  readonly #skeleton: Pages = [];
  readonly #events: Pages = [];
  readonly #uuids: Pages = [];
  readonly #whole: Pages = [];
  readonly #entered: Pages = [];
  /** Messages that were in a page before, by their positions. */
  readonly #seen = new Set<string>();
  #uuidsWaiting: string[] = [];
  #wholeUnits = 0;

  constructor(options: TranscriptOptions, total: number) {
    this.#options = options;
    this.#total = total;
  }

  written(): WrittenTranscript {
    return {
      total: this.#total,
      skeleton: this.#skeleton,
      events: this.#events,
      uuids: this.#uuids,
      whole: this.#whole,
      entered: this.#entered,
    };
  }

  async writeSkeleton(): Promise<void> {
    const { asking, sample, attempt } = this.#options;
    for (let from = 0; from === 0 || from < this.#total; from += SKELETON_EVENTS) {
      const part = await asking.ask('skeleton', sample, { from, limit: SKELETON_EVENTS, attempt });
      this.#skeleton.push([from, await asking.writeAnswer(part)]);
    }
  }

  async writeEvents(): Promise<void> {
    const { asking, sample, attempt } = this.#options;
    for (let from = 0; from < this.#total; ) {
      const page = await asking.ask('events', sample, { from, limit: PAGE_EVENTS, attempt });
      if (page.events.length === 0) break;
      this.#events.push([from, await asking.writeAnswer(page)]);
      for (const [index, event] of page.events.entries()) await this.#writeEvent(event, from + index, page);
      await this.#options.texts.writeOf(page.messages);
      from += page.events.length;
    }
    await this.#writeUuids();
  }

  async #writeEvent(event: AnyJson, number: number, page: EventsPage): Promise<void> {
    const { texts, filter } = this.#options;
    const uuid = isObject(event) ? event.uuid : undefined;
    this.#uuidsWaiting.push(typeof uuid === 'string' ? uuid : '');
    if (this.#uuidsWaiting.length >= UUIDS) await this.#writeUuids();
    const plain = withTexts(event, () => '');
    if (isObject(plain)) visitEvent(plain, (text) => filter.add(text));
    const whole = isPartOfIt(event) ? await this.#writeWhole(event, number) : undefined;
    if (whole === undefined) await this.#writeAnswered(event, number, page);
    else await texts.writeOf(whole);
    // Of lists that are cut in a page the whole event has more, and that is written.
    await texts.writeOf(event, { withLists: whole === undefined });
  }

  /** Undefined when too much was made whole already: then the page has to do. */
  async #writeWhole(inPage: AnyJson, number: number): Promise<AnyJson | undefined> {
    if (this.#wholeUnits > WHOLE_UNITS_MAX) return undefined;
    const { asking, sample, attempt, items } = this.#options;
    const event = await asking.ask('event', { ...sample, event: String(number) }, { attempt });
    this.#wholeUnits += strictText(event).length;
    const { document, entered } = await wholeEvent(event, inPage, items);
    this.#whole.push([number, await asking.write(document)]);
    for (const { message, place } of entered) {
      this.#entered.push([number, place]);
      this.#addMessage(message);
    }
    return event;
  }

  #addMessage(message: AnyJson): void {
    const { filter } = this.#options;
    visitMessage(
      withTexts(message, () => ''),
      (text) => filter.add(text),
    );
  }

  /** Messages that the page has beside its events, each with the first event that refers to it. */
  async #writeAnswered(event: AnyJson, number: number, { messages = {} }: EventsPage): Promise<void> {
    const { items } = this.#options;
    for (const [position, message] of Object.entries(messages)) {
      if (this.#seen.has(position) || !refersTo(event, Number(position))) continue;
      this.#seen.add(position);
      const { place, isNew } = await items.write(message);
      if (isNew) this.#entered.push([number, place]);
      this.#addMessage(message);
    }
  }

  async #writeUuids(): Promise<void> {
    const { asking } = this.#options;
    const [last] = this.#uuids.at(-1) ?? [0];
    const from = this.#uuids.length === 0 ? 0 : last + UUIDS;
    if (this.#uuidsWaiting.length > 0) this.#uuids.push([from, await asking.write(this.#uuidsWaiting)]);
    this.#uuidsWaiting = [];
  }
}

function refersTo(event: AnyJson, position: number): boolean {
  const refs = isObject(event) ? event.input_refs : undefined;
  if (!Array.isArray(refs)) return false;
  return refs.some((range) => {
    const [start, end] = Array.isArray(range) ? range : [];
    return typeof start === 'number' && typeof end === 'number' && position >= start && position < end;
  });
}

function isObject(value: unknown): value is Readonly<Record<string, AnyJson>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
