import { z } from 'zod';
import type { DocumentPlace, WrittenSample, WrittenTranscript } from '../../../../src/server/api.ts';
import {
  type Cut,
  firstIn,
  type Snippet,
  textPattern,
  visitEvent,
  visitMessage,
  visitTexts,
  withTexts,
} from '../../../../src/views/index.ts';
import { rawPattern } from './raw-pattern.ts';
import type { Written } from './written.ts';

/** What is looked for. */
export class Needle {
  readonly text: string;
  readonly inText: RegExp;
  readonly #inJson: RegExp;

  constructor(text: string) {
    this.text = text;
    this.inText = textPattern(text);
    this.#inJson = rawPattern(text);
  }

  mayBeIn(json: string): boolean {
    return this.#inJson.test(json);
  }
}

/** A text that somebody reads in an event or a message, and whether it is said there first. */
type Visit = (snippet: Snippet, isOwn: boolean) => void;

/** After so long the page gets its turn: it is painted, and keys are heard. */
const TURN_MS = 12;

/** Gives way to the page now and then. */
export class Turns {
  #beganMs = performance.now();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async take(): Promise<void> {
    this.#signal.throwIfAborted();
    if (performance.now() - this.#beganMs < TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    this.#signal.throwIfAborted();
    this.#beganMs = performance.now();
  }
}

/** Looks through one sample: its long texts first, because whatever refers to one has it. */
export class SampleScan {
  readonly #written: Written;
  readonly #needle: Needle;
  readonly #turns: Turns;
  /** Long texts that have it, by their names. */
  readonly #inTexts = new Map<string, Snippet>();

  constructor(written: Written, needle: Needle, turns: Turns) {
    this.#written = written;
    this.#needle = needle;
    this.#turns = turns;
  }

  async lookAtTexts({ texts }: WrittenSample): Promise<void> {
    for (const [at, , , pieces] of texts) {
      const snippet = await this.#inPieces(pieces);
      if (snippet) this.#inTexts.set(at, snippet);
    }
  }

  /** One piece after the other, and what stands around where two of them meet. */
  async #inPieces(pieces: readonly DocumentPlace[]): Promise<Snippet | undefined> {
    let before = '';
    for (const place of pieces) {
      await this.#turns.take();
      const piece = z.string().parse(await this.#written.documents.readOnce(place));
      const snippet = firstIn(before + piece, this.#needle);
      if (snippet) return snippet;
      before = piece.slice(-(this.#needle.text.length + AROUND_UNITS));
    }
    return undefined;
  }

  /** Messages that came with an event, by its number; but for those that are left out. */
  async enteredOf(
    { entered }: WrittenTranscript,
    isLeftOut: (message: unknown, event: number) => boolean = () => false,
  ): Promise<ReadonlyMap<number, readonly Snippet[]>> {
    const found = new Map<number, Snippet[]>();
    for (const [event, place] of entered) {
      await this.#turns.take();
      const json = await this.#written.documents.text(place);
      if (!this.#isPossible(json)) continue;
      const message: unknown = this.#marked(JSON.parse(json));
      if (isLeftOut(message, event)) continue;
      visitMessage(message, (text) => {
        const snippet = this.#snippetOf(text);
        if (snippet) found.set(event, [...(found.get(event) ?? []), snippet]);
      });
    }
    return found;
  }

  /** Events of a page that have it. */
  async inPage(place: DocumentPlace, from: number, give: (hit: EventHit) => void): Promise<void> {
    await this.#turns.take();
    const json = await this.#written.documents.text(place);
    if (!this.#isPossible(json)) return;
    const page = eventsIn.parse(JSON.parse(json));
    for (const [index, event] of (page.answer?.events ?? []).entries()) {
      const marked = this.#marked(event);
      if (!isObject(marked)) continue;
      const where = String(marked.event);
      visitEvent(marked, (text, isOwn) => {
        const snippet = this.#snippetOf(text);
        if (snippet) give({ ...snippet, event: from + index, where, isOwn });
      });
    }
  }

  /** All texts of a value, such as a field of the sample. */
  inValue(value: unknown, give: Visit): void {
    visitTexts(this.#marked(value), (text) => {
      const snippet = this.#snippetOf(text);
      if (snippet) give(snippet, true);
    });
  }

  #isPossible(json: string): boolean {
    if (this.#needle.mayBeIn(json)) return true;
    for (const at of this.#inTexts.keys()) if (json.includes(JSON.stringify(at))) return true;
    return false;
  }

  /** A mark in the place of each text that was cut. */
  #marked(value: unknown): unknown {
    return withTexts(value, ({ at }: Cut) => `${MARK}${at}`);
  }

  #snippetOf(text: string): Snippet | undefined {
    return text.startsWith(MARK) ? this.#inTexts.get(text.slice(MARK.length)) : firstIn(text, this.#needle);
  }
}

export interface EventHit extends Snippet {
  readonly event: number;
  /** The kind of the event. */
  readonly where: string;
  /** Said there first, and not copied from before. */
  readonly isOwn: boolean;
}

const AROUND_UNITS = 100;
/** Nobody who writes a transcript knows it. */
const MARK = `\0${Math.random().toString(36).slice(2)} `;

const eventsIn = z.object({ answer: z.object({ events: z.array(z.unknown()) }).optional() });

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
