import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../base/index.ts';
import { addUsage, type ModelUsage } from '../log/index.ts';
import { Conversation } from './conversation.ts';
import { readChanges } from './json-patch.ts';
import { StateTracker } from './state-tracker.ts';

export interface ScoreFact {
  /** Under which name the scorer ran, without its package. */
  readonly scorer: string | undefined;
  readonly score: JsonObject;
}

/** Tags that say something about the sample as a whole; all others are copied without being parsed. */
const TOLD = new Set([
  'model',
  'sample_init',
  'state',
  'store',
  'score',
  'error',
  'sample_limit',
  'compaction',
  'span_begin',
  'span_end',
]);

/** What the events of one sample tell about it, gathered in one pass over them in their order. */
export class SampleFacts {
  /** Where the events of the last attempt begin: a sample that was tried again has those of earlier attempts before. */
  attemptStart = 0;
  /** Errors that ended earlier attempts. */
  readonly earlierErrors: JsonObject[] = [];
  attempts = 0;
  events = 0;
  pending = 0;
  init: JsonObject | undefined;
  state = new StateTracker(undefined);
  conversation = new Conversation();
  models = new Map<string, ModelUsage>();
  roles = new Map<string, ModelUsage>();
  scores: ScoreFact[] = [];
  error: JsonObject | undefined;
  limit: JsonObject | undefined;
  model: string | undefined;
  firstTimestamp: string | undefined;
  /** True when the scorers had ended, each with a score: nothing but the final row was missing. */
  isScored = false;
  /** How many pool entries the events of the last attempt refer to. */
  poolEnds = { message: 0, call: 0 };
  #spans = new Map<string, { readonly name: string; readonly type: string; readonly isScoring: boolean }>();
  /** Scorers that have given nothing yet. One that fails ends its span like any other, but stays here. */
  readonly #unscored = new Set<string>();
  #initSpan: { readonly id: string; readonly index: number } | undefined;

  /** `json` is compact. Returns nothing; an event whose text is damaged must not be handed in. */
  add(tag: string, json: string): void {
    const index = this.events++;
    if (json.includes('"pending":true')) this.pending++;
    if (!TOLD.has(tag)) return;
    const event = parseJson(json);
    if (!isJsonObject(event)) return;
    if (tag === 'sample_init') this.#beginAttempt(event, index);
    if (this.firstTimestamp === undefined && typeof event.timestamp === 'string')
      this.firstTimestamp = event.timestamp;
    this.#tell(tag, event, index);
  }

  #beginAttempt(event: JsonObject, index: number): void {
    const start = this.#initSpan && this.#initSpan.id === event.span_id ? this.#initSpan.index : index;
    const isAgain = this.init !== undefined;
    if (isAgain && this.error) this.earlierErrors.push(this.error);
    this.attempts++;
    this.init = event;
    this.state = new StateTracker(event);
    if (!isAgain) return;
    this.attemptStart = start;
    this.conversation = new Conversation();
    this.models = new Map();
    this.roles = new Map();
    this.scores = [];
    this.error = undefined;
    this.limit = undefined;
    this.isScored = false;
    this.#unscored.clear();
    this.poolEnds = { message: 0, call: 0 };
    this.firstTimestamp = undefined;
    this.pending = 0;
  }

  #tell(tag: string, event: JsonObject, index: number): void {
    const span = typeof event.span_id === 'string' ? event.span_id : undefined;
    if (tag === 'model') this.#tellModel(event, span);
    else if (tag === 'span_begin') this.#beginSpan(event, index);
    else if (tag === 'span_end') this.#endSpan(event);
    else if (tag === 'store') this.state.changeStore(span, readChanges(event.changes));
    else if (tag === 'state') this.state.changeState(span, readChanges(event.changes));
    else if (tag === 'compaction') this.conversation.addCompaction(event);
    else if (tag === 'score') this.#tellScore(event, span);
    else if (tag === 'error') this.error = isJsonObject(event.error) ? event.error : this.error;
    else if (tag === 'sample_limit' && ((event.limit ?? null) !== null || !this.limit)) this.limit = event;
  }

  #tellModel(event: JsonObject, span: string | undefined): void {
    this.model ??= typeof event.model === 'string' ? event.model : undefined;
    this.poolEnds.message = Math.max(this.poolEnds.message, endOf(event.input_refs));
    if (isJsonObject(event.call))
      this.poolEnds.call = Math.max(this.poolEnds.call, endOf(event.call.call_refs));
    this.#addUsage(event);
    // A model that grades is no part of the sample's own conversation.
    if (span !== undefined && this.#spans.get(span)?.isScoring) return;
    this.conversation.addModel(event);
  }

  /** What came from a cache was paid for once already, so Inspect does not count it. */
  #addUsage(event: JsonObject): void {
    const usage = isJsonObject(event.output) ? readUsage(event.output.usage) : undefined;
    if (event.cache === 'read' || event.pending === true || !usage) return;
    if (typeof event.model === 'string')
      this.models.set(event.model, addUsage(this.models.get(event.model), usage));
    if (typeof event.role === 'string')
      this.roles.set(event.role, addUsage(this.roles.get(event.role), usage));
  }

  #beginSpan(event: JsonObject, index: number): void {
    if (typeof event.id !== 'string') return;
    const type = typeof event.type === 'string' ? event.type : '';
    const parent = typeof event.parent_id === 'string' ? this.#spans.get(event.parent_id) : undefined;
    const isScoring = type === 'scorers' || type === 'scorer' || (parent?.isScoring ?? false);
    this.#spans.set(event.id, { name: String(event.name ?? ''), type, isScoring });
    if (type === 'scorer') this.#unscored.add(event.id);
    this.state.beginSpan(event.id);
    if (type === 'init') this.#initSpan = { id: event.id, index };
  }

  #endSpan(event: JsonObject): void {
    if (typeof event.id !== 'string') return;
    if (this.#spans.get(event.id)?.type === 'scorers') this.isScored = this.#unscored.size === 0;
    this.state.endSpan(event.id);
  }

  #tellScore(event: JsonObject, span: string | undefined): void {
    if (event.intermediate === true || !isJsonObject(event.score)) return;
    if (span !== undefined) this.#unscored.delete(span);
    const around = span === undefined ? undefined : this.#spans.get(span);
    const named = typeof event.scorer === 'string' ? event.scorer : undefined;
    const scorer = named ?? (around?.type === 'scorer' ? around.name : undefined);
    this.scores.push({ scorer: scorer?.split('/').at(-1), score: event.score });
  }
}

function readUsage(value: Json | undefined): ModelUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const counts = Object.entries(value).filter(([, count]) => typeof count === 'number');
  return { input_tokens: 0, output_tokens: 0, total_tokens: 0, ...Object.fromEntries(counts) };
}

function endOf(refs: Json | undefined): number {
  if (!isJsonArray(refs)) return 0;
  let end = 0;
  for (const range of refs) {
    const last = isJsonArray(range) ? range[1] : undefined;
    if (typeof last === 'number') end = Math.max(end, last);
  }
  return end;
}
