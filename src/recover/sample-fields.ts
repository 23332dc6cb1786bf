import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  parseJson,
  type SampleId,
  shortId,
  systemRandom,
} from '../base/index.ts';
import type { PoolKind } from '../journal/index.ts';
import {
  type ChatMessage,
  type EvalError,
  readInput,
  readMessage,
  readModelOutput,
  readSummary,
  readTarget,
  readUsage,
  type SampleFields,
  type SampleLimit,
} from '../log/index.ts';
import { type BufferedCopy, isFinal } from './buffered-copy.ts';
import { TextExpander } from './expand-texts.ts';
import { fullScores } from './full-scores.ts';
import type { PoolLayout } from './pool-positions.ts';
import type { SampleFacts } from './sample-facts.ts';
import { LOST_MESSAGE, positionsIn, sandboxOf, toError } from './sample-values.ts';

/** How a sample that was still running is marked. */
export interface IncompleteMark {
  readonly error: EvalError;
}

export interface RebuildOptions {
  /** Ids as the dataset has them, by their text: a buffer does not tell 1 from "1". */
  readonly knownIds: ReadonlyMap<string, SampleId>;
  readonly mark: IncompleteMark;
  /** The eval's sandbox and limits, for what the sample's own events do not say. */
  readonly sandbox: Json | undefined;
  readonly config: JsonObject;
}

/** What a sample's fields are built from. */
export interface SampleMaterial {
  readonly copy: BufferedCopy;
  readonly facts: SampleFacts;
  readonly summary: JsonObject;
  readonly pools: Readonly<Record<PoolKind, PoolLayout>>;
  readonly options: RebuildOptions;
  readonly missing: string[];
  /** What is worth knowing and no damage. */
  readonly notes: string[];
}

/** Builds everything of a sample but its transcript, for each field from the source that has most of it. */
export class SampleFieldsBuilder {
  readonly #material: SampleMaterial;
  readonly #expander: TextExpander;
  readonly #init: JsonObject;

  constructor(material: SampleMaterial) {
    this.#material = material;
    this.#expander = new TextExpander((hash) => material.copy.attachment(hash));
    const { init } = material.facts;
    this.#init = isJsonObject(init?.sample) ? init.sample : {};
  }

  completed(): SampleFields {
    const { facts, summary } = this.#material;
    const scores = fullScores(summary.scores, facts.scores);
    const error = this.#error();
    return {
      ...this.#common(),
      ...(scores && { scores }),
      ...(error && { error }),
      model_usage: readUsage(summary.model_usage) ?? Object.fromEntries(facts.models),
      role_usage: readUsage(summary.role_usage) ?? Object.fromEntries(facts.roles),
    };
  }

  /** Scores of a sample that was not finished must not be counted; its events keep those that there were. */
  inFlight(): SampleFields {
    const { facts, options } = this.#material;
    return {
      ...this.#common(),
      error: options.mark.error,
      model_usage: Object.fromEntries(facts.models),
      role_usage: Object.fromEntries(facts.roles),
    };
  }

  #common() {
    const { facts, summary } = this.#material;
    const limit = this.#limit();
    const { messages, output } = this.#conversation();
    return {
      id: this.#id(),
      epoch: this.#material.copy.key.epoch,
      ...this.#dataset(),
      messages,
      output,
      metadata: this.#metadata(),
      store: this.#store(),
      ...this.#copied(),
      started_at: typeof summary.started_at === 'string' ? summary.started_at : (facts.firstTimestamp ?? ''),
      uuid: typeof summary.uuid === 'string' ? summary.uuid : shortId(systemRandom),
      error_retries: this.#errorRetries(),
      ...(limit && { limit }),
    };
  }

  #copied(): Partial<SampleFields> {
    const { copy, summary } = this.#material;
    const row = readSummary({ ...summary, ...copy.key });
    if (!row) return {};
    return Object.fromEntries(COPIED.filter((key) => row[key] !== undefined).map((key) => [key, row[key]]));
  }

  #id(): SampleId {
    const { copy, summary, options } = this.#material;
    const told = [summary.id, this.#init.id, options.knownIds.get(copy.key.id)];
    const isId = (value: Json | undefined): value is SampleId =>
      (typeof value === 'string' || typeof value === 'number') && String(value) === copy.key.id;
    return told.find(isId) ?? copy.key.id;
  }

  /** What the dataset gave: whole in the first event, thinned in the summary. */
  #dataset(): Pick<SampleFields, 'input' | 'target'> & Partial<SampleFields> {
    const { summary, options } = this.#material;
    const init = this.#init;
    const input = this.#expander.expand(init.input ?? summary.input ?? '');
    const choices = init.choices ?? summary.choices;
    const sandbox = init.sandbox ?? options.sandbox ?? null;
    return {
      input: this.#input(input),
      target: readTarget(init.target ?? summary.target) ?? '',
      ...(isJsonArray(choices) && { choices: choices.map((choice) => jsonText(choice)) }),
      ...(sandbox !== null && { sandbox: isJsonArray(sandbox) ? sandboxOf(sandbox) : sandbox }),
      ...(isJsonObject(init.files) && { files: Object.keys(init.files) }),
      ...(typeof init.setup === 'string' && { setup: this.#expander.expand(init.setup) }),
    };
  }

  #input(found: Json): SampleFields['input'] {
    const input = readInput(found);
    if (input !== undefined) return input;
    return isJsonArray(found) ? this.#messages(found) : jsonText(found);
  }

  #metadata(): JsonObject {
    const { copy, facts, summary } = this.#material;
    const kept = copy.metadata();
    if (kept) return kept;
    const told = facts.init ? facts.state.state.metadata : undefined;
    const found = this.#expander.expand(told ?? summary.metadata ?? {});
    return isJsonObject(found) ? found : {};
  }

  #store(): JsonObject {
    const { facts, missing } = this.#material;
    if (!facts.state.isExact) missing.push('Some changes of the store could not be followed.');
    const store = this.#expander.expand(facts.state.state.store);
    return isJsonObject(store) ? store : {};
  }

  #conversation(): Pick<SampleFields, 'messages' | 'output'> {
    const { facts, summary } = this.#material;
    const output = facts.conversation.output() ?? { choices: [] };
    const history = this.#historyOfState();
    const fromState = isFinal(summary) && history !== undefined;
    const messages = fromState ? history : this.#spoken();
    return {
      messages: this.#messages(this.#expander.expand(messages)),
      output: readModelOutput(this.#expander.expand(output)) ?? { choices: [] },
    };
  }

  /** What is no message keeps its place, so that nobody takes the conversation for whole. */
  #messages(found: readonly Json[]): readonly ChatMessage[] {
    const messages = found.map((message) => readMessage(message));
    const lost = messages.filter((message) => message === undefined).length;
    if (lost > 0) this.#material.missing.push(`${lost} of its messages could not be read.`);
    return messages.map((message) => message ?? LOST_MESSAGE);
  }

  /** What model events tell; before the first of them there is only what the sample began with. */
  #spoken(): readonly Json[] {
    const { conversation, state } = this.#material.facts;
    const messages = conversation.messages((event) => this.#inputOf(event));
    const { messages: begun } = state.state;
    return messages.length === 0 && isJsonArray(begun) ? begun : messages;
  }

  /** The state's own list of messages, when it is surely the one that the sample ended with. */
  #historyOfState(): readonly Json[] | undefined {
    const { state } = this.#material.facts;
    const { messages } = state.state;
    const count = this.#material.summary.message_count;
    if (!state.isExact || !state.hasMessages || !isJsonArray(messages)) return undefined;
    return typeof count !== 'number' || count === messages.length ? messages : undefined;
  }

  #inputOf(event: JsonObject): readonly Json[] {
    const { input, input_refs: refs } = event;
    if (!isJsonArray(refs)) return isJsonArray(input) ? input : [];
    const { copy, pools } = this.#material;
    const messages: Json[] = [];
    for (const position of positionsIn(refs, pools.message.rows.length)) {
      const row = pools.message.rows[position];
      const text = row === undefined ? undefined : copy.poolText('message', row);
      messages.push(text === undefined ? LOST_MESSAGE : parseJson(text));
    }
    return messages;
  }

  #error(): EvalError | undefined {
    const { summary, facts } = this.#material;
    const told = facts.error && toError(facts.error);
    const isRow = Object.keys(summary).length > 0;
    if (!isRow) return told;
    const message = summary.error;
    if (typeof message !== 'string') return undefined;
    if (told?.message === message) return told;
    return { message, traceback: `${message}\n`, traceback_ansi: `${message}\n` };
  }

  /** Inspect empties the buffer of a sample that it tries again: what went wrong before was never there to be lost. */
  #errorRetries(): readonly EvalError[] {
    const { facts, summary, notes } = this.#material;
    const found = facts.earlierErrors.map(toError);
    const count = typeof summary.retries === 'number' ? summary.retries : 0;
    if (count > found.length)
      notes.push(
        `It had been tried ${count === 1 ? 'once' : `${count} times`} before; Inspect keeps no more of that than the number.`,
      );
    return found;
  }

  #limit(): SampleLimit | undefined {
    const { facts, summary, options } = this.#material;
    const told = facts.limit;
    const type = typeof summary.limit === 'string' ? summary.limit : told?.type;
    if (typeof type !== 'string') return undefined;
    const fromConfig = options.config[`${type}_limit`];
    const limit = told?.type === type && typeof told.limit === 'number' ? told.limit : fromConfig;
    return typeof limit === 'number' ? { type, limit } : undefined;
  }
}

const COPIED = [
  'model_fallbacks',
  'completed_at',
  'total_time',
  'working_time',
  'turn_count',
  'token_limit',
  'token_limit_type',
  'token_limit_usage',
] as const;
