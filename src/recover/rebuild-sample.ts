import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson, shortId } from '../base/index.ts';
import type { PoolKind } from '../journal/index.ts';
import type {
  ChatMessage,
  EvalError,
  ModelOutput,
  ModelUsage,
  SampleFields,
  SampleId,
  SampleLimit,
} from '../log/index.ts';
import { type BufferedCopy, isFinal } from './buffered-copy.ts';
import { TextExpander } from './expand-texts.ts';
import { fullScores } from './full-scores.ts';
import { layOutPool, type PoolLayout } from './pool-positions.ts';
import { SampleFacts } from './sample-facts.ts';

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

export interface RebuiltSample {
  readonly fields: SampleFields;
  readonly state: 'completed' | 'in-flight';
  /** The rows of the events to be written: those of the last attempt that can be read. */
  readonly events: readonly number[];
  readonly pools: Readonly<Record<PoolKind, PoolLayout>>;
  readonly pending: number;
  /** One sentence for each thing that is known to be missing. */
  readonly missing: readonly string[];
  readonly model: string | undefined;
}

/** Builds a sample from what buffers hold of it: its row, where there is one, and what its events tell. */
export function rebuildSample(copy: BufferedCopy, options: RebuildOptions): RebuiltSample {
  const missing: string[] = [];
  const readable: number[] = [];
  const facts = new SampleFacts();
  for (const row of copy.events) {
    const found = copy.event(row);
    if (!found) continue;
    readable.push(row);
    facts.add(found.tag, found.json);
  }
  const damaged = copy.events.length - readable.length;
  if (damaged > 0) missing.push(`${damaged} of its events could not be read.`);
  for (const { segment, after } of copy.gaps())
    missing.push(`Events after row ${after.event} are missing with segment ${segment}.`);
  const pools = { message: layOut(copy, facts, 'message'), call: layOut(copy, facts, 'call') };
  noteMissingPools(pools, missing);
  const summary = copy.summary();
  const isCompleted = summary ? isFinal(summary) : facts.isScored || facts.error !== undefined;
  if (!summary) missing.push('The row that begins a sample is missing; it was rebuilt from the events.');
  const builder = new FieldsBuilder({ copy, facts, summary: summary ?? {}, pools, options, missing });
  return {
    fields: isCompleted ? builder.completed() : builder.inFlight(),
    state: isCompleted ? 'completed' : 'in-flight',
    events: readable.slice(facts.attemptStart),
    pools,
    pending: facts.pending,
    missing,
    model: facts.model,
  };
}

function layOut(copy: BufferedCopy, facts: SampleFacts, kind: PoolKind): PoolLayout {
  return layOutPool({
    rows: copy.poolRows(kind),
    referred: facts.poolEnds[kind],
    gapsAfter: copy.gaps().map(({ after }) => after[kind]),
    hasEarlierAttempts: facts.attempts > 1,
  });
}

function noteMissingPools(pools: Readonly<Record<PoolKind, PoolLayout>>, missing: string[]): void {
  for (const [kind, layout] of Object.entries(pools)) {
    if (layout.missing === 0) continue;
    const what = kind === 'message' ? 'messages' : 'parts of requests';
    const where = layout.isUncertain ? '; where they stood cannot be told' : '';
    missing.push(`${layout.missing} ${what} that its model events refer to are missing${where}.`);
  }
}

interface Material {
  readonly copy: BufferedCopy;
  readonly facts: SampleFacts;
  readonly summary: JsonObject;
  readonly pools: Readonly<Record<PoolKind, PoolLayout>>;
  readonly options: RebuildOptions;
  readonly missing: string[];
}

class FieldsBuilder {
  readonly #material: Material;
  readonly #expander: TextExpander;
  readonly #init: JsonObject;

  constructor(material: Material) {
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
      model_usage: usageOf(summary.model_usage) ?? Object.fromEntries(facts.models),
      role_usage: usageOf(summary.role_usage) ?? Object.fromEntries(facts.roles),
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
      ...copied(summary, COPIED),
      started_at: typeof summary.started_at === 'string' ? summary.started_at : (facts.firstTimestamp ?? ''),
      uuid: typeof summary.uuid === 'string' ? summary.uuid : shortId(),
      error_retries: this.#errorRetries(),
      ...(limit && { limit }),
    };
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
      input: input as unknown as SampleFields['input'],
      target: (init.target ?? summary.target ?? '') as SampleFields['target'],
      ...(isJsonArray(choices) && { choices: choices as readonly string[] }),
      ...(sandbox !== null && { sandbox: isJsonArray(sandbox) ? sandboxOf(sandbox) : sandbox }),
      ...(isJsonObject(init.files) && { files: Object.keys(init.files) }),
      ...(typeof init.setup === 'string' && { setup: this.#expander.expand(init.setup) }),
    };
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
      messages: this.#expander.expand(messages) as unknown as readonly ChatMessage[],
      output: this.#expander.expand(withoutNulls(output)) as unknown as ModelOutput,
    };
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

  #errorRetries(): readonly EvalError[] {
    const { facts, summary, missing } = this.#material;
    const found = facts.earlierErrors.map(toError);
    const count = typeof summary.retries === 'number' ? summary.retries : 0;
    if (count > found.length)
      missing.push(`Of ${count} earlier attempts, the errors of ${count - found.length} are not kept.`);
    return found;
  }

  #limit(): SampleLimit | undefined {
    const { facts, summary, options } = this.#material;
    const told = facts.limit;
    const type = typeof summary.limit === 'string' ? summary.limit : told?.type;
    if (typeof type !== 'string') return undefined;
    const fromConfig = options.config[`${type}_limit`];
    const limit = told?.type === type && typeof told.limit === 'number' ? told.limit : fromConfig;
    return typeof limit === 'number' ? { type: type as SampleLimit['type'], limit } : undefined;
  }
}

/** Stands where a message is known to be missing, so that all others keep their places. */
export const LOST_MESSAGE: JsonObject = {
  role: 'user',
  content: '[This message was lost in the crash.]',
  metadata: { holdfast_lost: true },
};

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

function copied(summary: JsonObject, keys: readonly string[]): Partial<SampleFields> {
  const found = keys.filter((key) => (summary[key] ?? null) !== null).map((key) => [key, summary[key]]);
  return Object.fromEntries(found);
}

/** Ranges may name what is not there; those positions are left out, as every reader does. */
function* positionsIn(refs: readonly Json[], length: number): Iterable<number> {
  for (const range of refs) {
    if (!isJsonArray(range)) continue;
    const [start, end] = range;
    if (typeof start !== 'number' || typeof end !== 'number') continue;
    for (let position = Math.max(start, 0); position < Math.min(end, length); position++) yield position;
  }
}

function usageOf(value: Json | undefined): Readonly<Record<string, ModelUsage>> | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, usage]) => isJsonObject(usage))
      .map(([name, usage]) => [name, withoutNulls(usage as JsonObject) as unknown as ModelUsage]),
  );
}

function toError(error: JsonObject): EvalError {
  const text = (key: string, otherwise: string) => {
    const found = error[key];
    return typeof found === 'string' ? found : otherwise;
  };
  const message = text('message', 'unknown error');
  const traceback = text('traceback', `${message}\n`);
  return { message, traceback, traceback_ansi: text('traceback_ansi', traceback) };
}

function sandboxOf([type, config]: readonly Json[]): Json {
  return config === undefined || config === null ? { type: type ?? '' } : { type: type ?? '', config };
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
