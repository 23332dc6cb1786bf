import type { SQLInputValue } from 'node:sqlite';
import { type Json, stringifyJson } from '../base/index.ts';
import {
  attachmentHash,
  type Condenser,
  condenseJson,
  condenseMessages,
  type LogEvent,
  type SampleFields,
  summarize,
} from '../log/index.ts';
import { sampleKey } from './reader.ts';
import type { AnswerRow, AttemptStart, AttemptStatus, TargetOutput } from './records.ts';
import { startFields } from './records.ts';

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
  insert(table: RowTable, row: readonly SQLInputValue[]): void;
  grew(sizeBytes: number): void;
  /** Resolves when everything inserted so far is durable. */
  flush(): Promise<void>;
}

type RowTable = 'attempts' | 'events' | 'contents' | 'links' | 'answers' | 'outputs' | 'results';

export interface AttemptWriterOptions {
  readonly n: number;
  readonly condenser: Condenser;
  readonly start: AttemptStart;
  /** The attachments that the attempt has already, when it goes on. */
  readonly linked?: Iterable<string>;
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
  readonly #linked: Set<string>;
  /** The row of events that still waits for its commit, and the group it waits in. */
  #events: { readonly row: [attempt: number, texts: string]; readonly group: number } | undefined;

  constructor(journal: RowSink, { n, condenser, start, linked }: AttemptWriterOptions) {
    this.#journal = journal;
    this.n = n;
    this.#condenser = condenser;
    this.#start = start;
    this.#linked = new Set(linked);
  }

  /** The attempt's own row; for an attempt that goes on it is there already. */
  begin(): void {
    const { id, epoch, key, ...data } = this.#start;
    const json = stringifyJson(this.#condense(data as unknown as Json));
    this.#journal.insert('attempts', [this.n, sampleKey(id), epoch, key, json]);
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
  async answer(answer: AnswerRow, events: readonly LogEvent[]): Promise<void> {
    for (const event of events) this.event(event);
    const { kind, digest, occurrence, ...data } = answer;
    const json = stringifyJson({ ...data, value: this.#condense(data.value) });
    this.#journal.insert('answers', [this.n, kind, digest, occurrence, json]);
    await this.#journal.flush();
  }

  /** Resolves when the target's output is durable: a crash while scoring will not run the target again. */
  async output(output: TargetOutput): Promise<void> {
    this.#journal.insert('outputs', [this.n, stringifyJson(this.#condense(output as unknown as Json))]);
    await this.#journal.flush();
  }

  /** Resolves when the result is durable: only then is the sample counted [JRN-7]. */
  async finish(status: AttemptStatus, fields: SampleFields): Promise<void> {
    const input = condenseMessages(fields.input);
    const messages = condenseMessages(fields.messages);
    this.#attach(input.attachments);
    this.#attach(messages.attachments);
    const logged = { ...fields, input: input.values, messages: messages.values };
    const { value, attachments } = condenseJson(this.#beyondStart(logged));
    this.#store(attachments);
    const data = stringifyJson(value);
    const isHeavy = data.length > LIGHT_RESULT_CHARS_MAX || attachments.length > LIGHT_RESULT_TEXTS_MAX;
    const summary = isHeavy ? stringifyJson(this.#beyondStart(summarize(fields))) : null;
    this.#journal.insert('results', [this.n, status, summary, data]);
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
    this.#events = { row, group };
    this.#journal.insert('events', row);
  }

  /** All but events is ours alone: its long strings are stored by hash, but are no attachments of the log. */
  #condense(value: Json): Json {
    const condensed = condenseJson(value);
    this.#store(condensed.attachments);
    return condensed.value;
  }

  #store(texts: readonly { readonly hash: string; readonly text: string }[]): void {
    for (const { hash, text } of texts) this.#journal.insert('contents', [hash, text]);
  }

  #attach(attachments: readonly { readonly hash: string; readonly text: string }[]): void {
    for (const { hash, text } of attachments) {
      if (this.#linked.has(hash)) continue;
      this.#journal.insert('contents', [hash, text]);
      this.#journal.insert('links', [this.n, 'attachment', this.#linked.size, hash, null]);
      this.#linked.add(hash);
    }
  }

  #link(
    kind: 'message' | 'call',
    items: readonly { readonly position: number; readonly json: string }[],
  ): void {
    for (const { position, json } of items) {
      if (json.length <= INLINE_CHARS_MAX) {
        this.#journal.insert('links', [this.n, kind, position, null, json]);
        continue;
      }
      const hash = attachmentHash(json);
      this.#journal.insert('contents', [hash, json]);
      this.#journal.insert('links', [this.n, kind, position, hash, null]);
    }
  }
}
