import { escapeLoneSurrogates, exactJson, type Json, toJson } from '../base/index.ts';
import {
  answerKey,
  attachmentHash,
  type Condenser,
  condenseMessages,
  type LogEvent,
  type SampleAnswer,
  type SampleFields,
  summarize,
} from '../log/index.ts';
import { takeOutTexts } from './long-texts.ts';
import type { AttemptStart, AttemptStatus, Origin, TargetOutput } from './records.ts';
import { startFields } from './records.ts';
import type { Value } from './row-inserter.ts';
import { idText } from './stored-documents.ts';
import { bytesOfText } from './text-bytes.ts';

/** Events that are committed together share a row up to about this length; beyond, a new row begins. */
const EVENTS_ROW_CHARS_MAX = 256 * 1024;
/** A light result is soon summarized when it is read: only beside a heavy one a summary is kept. */
const LIGHT_RESULT_CHARS_MAX = 8 * 1024;
const LIGHT_RESULT_TEXTS_MAX = 4;
/** A message of the pool up to this length stays in its link: a hash and a row of its own would be longer. */
const INLINE_CHARS_MAX = 256;

/** Where rows go: the journal is one, and the benchmark has one in memory. */
export interface RowSink {
  /** Rows of one group are committed together; one that was inserted in the current group may still grow. */
  readonly group: number;
  /** The columns of the table but `n` and `sum`; those of `attempts` begin with `n`. */
  insert(table: RowTable, row: readonly Value[], costUsd?: number): void;
  grew(sizeBytes: number): void;
  /** Resolves when everything inserted so far is durable. */
  flush(): Promise<void>;
}

export type RowTable = 'attempts' | 'events' | 'contents' | 'links' | 'answers' | 'outputs' | 'results';

export interface AttemptWriterOptions {
  readonly n: number;
  readonly condenser: Condenser;
  readonly start: AttemptStart;
  readonly origin: Origin;
  /** What the attempt has already, when it goes on: the hashes of its attachments, and its rows. */
  readonly linked?: Iterable<string>;
  /** By `answerKey`. */
  readonly answered?: Iterable<string>;
  readonly rows?: AttemptRows;
}

/** How many rows an attempt has: its result says it, so that one that is lost is missed [JRN-10]. */
export interface AttemptRows {
  readonly events: number;
  readonly links: number;
  readonly answers: number;
}

/**
 * Writes one attempt at one sample. Events go in condensed, in the very texts that the log will hold [JRN-4]: a
 * message or a long string is stored once a run, however often it is repeated.
 */
export class AttemptWriter {
  readonly n: number;
  readonly #journal: RowSink;
  readonly #condenser: Condenser;
  readonly #start: AttemptStart;
  readonly #origin: Origin;
  readonly #linked: Set<string>;
  readonly #answered: Set<string>;
  readonly #rows: { events: number; links: number; answers: number };
  /** The row of events that still waits for its commit, and the group it waits in. */
  #events: { readonly row: [attempt: number, texts: string]; readonly group: number } | undefined;

  constructor(journal: RowSink, options: AttemptWriterOptions) {
    this.#journal = journal;
    this.n = options.n;
    this.#condenser = options.condenser;
    this.#start = options.start;
    this.#origin = options.origin;
    this.#linked = new Set(options.linked);
    this.#answered = new Set(options.answered);
    this.#rows = { events: 0, links: 0, answers: 0, ...options.rows };
  }

  /** The attempt's own row; for an attempt that goes on it is there already. */
  begin(): void {
    const { id, epoch, key, ...data } = this.#start;
    // The column has one text for 1 and "1"; that the id is a number is said here, before all else.
    const kept = typeof id === 'number' ? { id, ...data } : data;
    const json = exactJson(this.#takeOut(toJson(kept)));
    this.#journal.insert('attempts', [this.n, idText(id), epoch, key, this.#origin, json]);
  }

  /** Durable with the next flush, [JRN-5]. */
  event(event: LogEvent): void {
    const condensed = this.#condenser.condense(event);
    this.#attach(condensed.attachments);
    this.#link('message', condensed.messages);
    this.#link('call', condensed.calls);
    this.#addEvent(condensed.json);
  }

  /** Resolves when the answer is durable: only then may anybody see it [JRN-6]. */
  async answer(answer: SampleAnswer, events: readonly LogEvent[]): Promise<void> {
    for (const event of events) this.event(event);
    this.#addAnswer(answer, answer.costUsd);
    await this.#journal.flush();
  }

  /** An answer that was bought before and given again: with it the attempt says all that it was told [JRN-17]. */
  replayed(answer: SampleAnswer & { readonly from: string }): void {
    if (!this.#answered.has(answerKey(answer))) this.#addAnswer(answer, 0);
  }

  #addAnswer(answer: SampleAnswer, spentUsd: number | undefined): void {
    const { kind, digest, occurrence, ...data } = answer;
    const json = exactJson({ ...data, value: this.#takeOut(data.value) });
    this.#answered.add(answerKey(answer));
    this.#rows.answers++;
    this.#journal.insert('answers', [this.n, kind, digest, occurrence, json], spentUsd);
  }

  /** Resolves when the target's output is durable: a crash while scoring will not run the target again. */
  async output(output: TargetOutput): Promise<void> {
    this.#journal.insert('outputs', [this.n, exactJson(this.#takeOut({ ...output }))]);
    await this.#journal.flush();
  }

  /** Resolves when the result is durable: only then is the sample counted [JRN-7]. */
  async finish(status: AttemptStatus, fields: SampleFields): Promise<void> {
    const input = condenseMessages(fields.input);
    const messages = condenseMessages(fields.messages);
    this.#attach(input.attachments);
    this.#attach(messages.attachments);
    const logged = { ...fields, input: input.values, messages: messages.values };
    let texts = 0;
    const value = takeOutTexts(this.#beyondStart(logged), (hash, text) => {
      texts++;
      this.#store(hash, text);
    });
    const data = exactJson(value);
    const isHeavy = data.length > LIGHT_RESULT_CHARS_MAX || texts > LIGHT_RESULT_TEXTS_MAX;
    const summary = isHeavy ? exactJson(this.#beyondStart(summarize(fields))) : null;
    const { events, links, answers } = this.#rows;
    this.#journal.insert('results', [this.n, status, summary, data, events, links, answers]);
    await this.#journal.flush();
  }

  /** A result does not repeat what the attempt's own row says already: JSON has no word for undefined. */
  #beyondStart(fields: object): Json {
    const rest: Record<string, Json | undefined> = { ...fields };
    for (const [key, value] of Object.entries(startFields(this.#start))) {
      if (rest[key] === value) rest[key] = undefined;
    }
    return rest;
  }

  /** Events of one commit share a row: a sample of few events then takes one row for all of them, not one for each. */
  #addEvent(json: string): void {
    const group = this.#journal.group;
    const waiting = this.#events;
    if (waiting?.group === group && waiting.row[1].length < EVENTS_ROW_CHARS_MAX) {
      waiting.row[1] += `\n${json}`;
      this.#journal.grew(json.length + 1);
      return;
    }
    const row: [number, string] = [this.n, json];
    this.#rows.events++;
    this.#events = { row, group };
    this.#journal.insert('events', row);
  }

  /** All but events is ours alone: its long strings are stored by hash, but are no attachments of the log. */
  #takeOut(value: Json): Json {
    return takeOutTexts(value, (hash, text) => this.#store(hash, text));
  }

  #store(hash: string, text: string): void {
    this.#journal.insert('contents', [hash, bytesOfText(text)]);
  }

  /** What events refer to is stored as the log will hold it: a lone surrogate is written out as its escape there. */
  #attach(attachments: readonly { readonly hash: string; readonly text: string }[]): void {
    for (const { hash, text } of attachments) {
      if (this.#linked.has(hash)) continue;
      this.#store(hash, escapeLoneSurrogates(text));
      this.#insertLink('attachment', this.#linked.size, { hash });
      this.#linked.add(hash);
    }
  }

  #link(
    kind: 'message' | 'call',
    items: readonly { readonly position: number; readonly json: string }[],
  ): void {
    for (const { position, json } of items) {
      if (json.length <= INLINE_CHARS_MAX) {
        this.#insertLink(kind, position, { text: json });
        continue;
      }
      const hash = attachmentHash(json);
      this.#store(hash, json);
      this.#insertLink(kind, position, { hash });
    }
  }

  #insertLink(kind: string, position: number, to: { readonly hash?: string; readonly text?: string }): void {
    this.#rows.links++;
    this.#journal.insert('links', [this.n, kind, position, to.hash ?? null, to.text ?? null]);
  }
}
