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
import type { Journal } from './journal.ts';
import type { AnswerRow, AttemptStatus, TargetOutput } from './records.ts';

/**
 * Writes one attempt at one sample. Events go in condensed, in the very texts that the log will hold [JRN-4]: a
 * message or a long string is stored once a run, however often it is repeated.
 */
export class AttemptWriter {
  readonly n: number;
  readonly #journal: Journal;
  readonly #condenser: Condenser;
  readonly #linked: Set<string>;

  /** `linked`: the attachments that the attempt has already, when it goes on. */
  constructor(journal: Journal, n: number, condenser: Condenser, linked: Iterable<string> = []) {
    this.#journal = journal;
    this.n = n;
    this.#condenser = condenser;
    this.#linked = new Set(linked);
  }

  /** Durable with the next flush, [JRN-5]. */
  event(event: LogEvent): void {
    const condensed = this.#condenser.condense(event);
    this.#attach(condensed.attachments);
    this.#link('message', condensed.messages);
    this.#link('call', condensed.calls);
    this.#journal.insert('events', [this.n, condensed.json]);
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
    const condensed = { ...fields, input: input.values, messages: messages.values };
    this.#journal.insert('results', [
      this.n,
      status,
      stringifyJson(summarize(fields) as unknown as Json),
      stringifyJson(condensed as unknown as Json),
    ]);
    await this.#journal.flush();
  }

  /** Answers and outputs are ours alone: their long strings are stored by digest, but are no attachments of the log. */
  #condense(value: Json): Json {
    const condensed = condenseJson(value);
    for (const { hash, text } of condensed.attachments) this.#journal.insert('contents', [hash, text]);
    return condensed.value;
  }

  #attach(attachments: readonly { readonly hash: string; readonly text: string }[]): void {
    for (const { hash, text } of attachments) {
      if (this.#linked.has(hash)) continue;
      this.#journal.insert('contents', [hash, text]);
      this.#journal.insert('links', [this.n, 'attachment', this.#linked.size, hash]);
      this.#linked.add(hash);
    }
  }

  #link(
    kind: 'message' | 'call',
    items: readonly { readonly position: number; readonly json: string }[],
  ): void {
    for (const { position, json } of items) {
      const hash = attachmentHash(json);
      this.#journal.insert('contents', [hash, json]);
      this.#journal.insert('links', [this.n, kind, position, hash]);
    }
  }
}
