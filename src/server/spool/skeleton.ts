import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { EVENT_FLAGS, type Skeleton } from '../api.ts';
import { amountsColumn, bytesColumn, countsColumn, NameList, TextColumn } from './columns.ts';
import { type HeadOf, labelOf, labelWith } from './event-label.ts';
import { Lanes } from './lanes.ts';
import { TimeParser } from './time-parser.ts';

const KINDS_MAX = 200;
const COUNT_MAX = 0xffff_ffff;
/** Larger pools are nobody's. */
const POSITIONS_MAX = 10_000_000;
/** Besides the flags that are told: it happened in a span whose beginning is not there … */
const LOST_SPAN = 64;
/** … and its label is not known yet. */
const LATE_LABEL = 128;

export type SkeletonPart = Omit<Skeleton, 'known' | 'isWhole' | 'progress'>;

/** What every row of a transcript shows, in columns: about fifty bytes an event, and its label. */
export class SkeletonColumns {
  /** All events of the sample were brought back from a crashed run: only of such can anything be missing. */
  isRecovered = false;
  readonly #times = new TimeParser();
  readonly #lanes = new Lanes();
  readonly #kinds = new NameList(KINDS_MAX, 'others');
  readonly #columns = {
    kind: bytesColumn(),
    lane: bytesColumn(),
    depth: bytesColumn(),
    turn: countsColumn(),
    start: amountsColumn(),
    durationMs: countsColumn(),
    tokens: countsColumn(),
    usd: amountsColumn(),
    flags: bytesColumn(),
    sizeBytes: countsColumn(),
  };
  /** How many kinds and lanes were known after each event: a part tells those that are new in it. */
  readonly #kindsKnown = bytesColumn();
  readonly #lanesKnown = bytesColumn();
  readonly #labels = new TextColumn();
  readonly #uuids = countsColumn();
  /** Of the message that an event brought. */
  readonly #messages = countsColumn();
  /** By position in the pool of messages: the first event that refers to it. */
  readonly #referrers = countsColumn();
  /** Events whose label waits for an attachment, by its hash. */
  readonly #late = new Map<string, number[]>();
  #turn = 0;
  #firstMs: number | undefined;
  #lastMs = 0;

  get length(): number {
    return this.#columns.kind.length;
  }

  add(event: JsonObject, sizeBytes: number, headOf: HeadOf): void {
    const index = this.length;
    const { lane, depth, ended, isLost } = this.#lanes.add(event, index);
    const startMs = this.#startMs(event);
    if (ended !== undefined) this.#endSpan(ended, startMs);
    if (event.event === 'model' && lane === 0) this.#turn++;
    const usage = usageOf(event);
    const columns = this.#columns;
    columns.kind.push(this.#kinds.numberOf(String(event.event).slice(0, 60)));
    columns.lane.push(lane);
    columns.depth.push(depth);
    columns.turn.push(this.#turn);
    columns.start.push(startMs);
    columns.durationMs.push(this.#durationOf(event));
    columns.tokens.push(usage.tokens);
    columns.usd.push(usage.usd);
    columns.sizeBytes.push(Math.min(sizeBytes, COUNT_MAX));
    columns.flags.push(flagsOf(event) | (isLost ? LOST_SPAN : 0) | this.#label(event, index, headOf));
    this.#kindsKnown.push(this.#kinds.names.length);
    this.#lanesKnown.push(this.#lanes.list.names.length);
    this.#uuids.push(hashOf(event.uuid));
    this.#messages.push(hashOf(messageBroughtBy(event)));
    if (event.event === 'model') this.#noteReferred(event.input_refs, index);
  }

  /** The event in which a message of the pool first appears. */
  firstReferrer(position: number): number | undefined {
    return position < this.#referrers.length ? this.#referrers.at(position) : undefined;
  }

  get isAwaiting(): boolean {
    return this.#late.size > 0;
  }

  /** Which attachments labels wait for. */
  isAwaited(hash: string): boolean {
    return this.#late.has(hash);
  }

  /** The beginning of an attachment: labels that waited for it are known. */
  attached(hash: string, head: string): void {
    for (const index of this.#late.get(hash) ?? []) {
      this.#labels.set(index, labelWith(this.#labels.at(index), head));
      this.#columns.flags.set(index, this.#columns.flags.at(index) & ~LATE_LABEL);
    }
    this.#late.delete(hash);
  }

  /** Everything was read: what was not found until now is not there. */
  end(): void {
    for (const hash of this.#late.keys()) this.attached(hash, '');
  }

  /** Events that may have a uuid, or have brought the message with that id: whoever asks looks whether they have. */
  *mayBe(id: string): Iterable<number> {
    const hash = hashOf(id);
    for (let index = 0; index < this.length; index++)
      if (this.#uuids.at(index) === hash || this.#messages.at(index) === hash) yield index;
  }

  /** The first event of a kind; undefined when there is none. */
  firstOf(kind: string): number | undefined {
    const number = this.#kinds.names.indexOf(kind);
    for (let index = 0; number >= 0 && index < this.length; index++)
      if (this.#columns.kind.at(index) === number) return index;
    return undefined;
  }

  /** The last call of a model by the main agent; undefined when it made none. */
  lastCall(): number | undefined {
    const { kind, lane } = this.#columns;
    for (let index = this.length - 1; index >= 0; index--)
      if (lane.at(index) === 0 && this.#kinds.names[kind.at(index)] === 'model') return index;
    return undefined;
  }

  part(from: number, to: number): SkeletonPart {
    const { flags, ...columns } = this.#columns;
    const lists = Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, column.list(from, to)]),
    ) as Record<keyof typeof columns, number[]>;
    const flagList = flags.list(from, to);
    const unlabelled = flagList.filter((flag) => (flag & LATE_LABEL) !== 0).length;
    const [kindsFrom, lanesFrom] = [this.#kindsKnown, this.#lanesKnown].map((known) =>
      from === 0 ? 0 : known.at(from - 1),
    ) as [number, number];
    return {
      from,
      kinds: this.#kinds.names.slice(kindsFrom, this.#kindsKnown.at(to - 1)),
      kindsFrom,
      lanes: this.#lanes.list.names.slice(lanesFrom, this.#lanesKnown.at(to - 1)),
      lanesFrom,
      unlabelled,
      columns: {
        ...lists,
        flags: flagList.map((flag) => this.#told(flag)),
        label: this.#labels.list(from, to),
      },
    };
  }

  get memoryBytes(): number {
    const columns = Object.values(this.#columns).reduce((sum, column) => sum + column.sizeBytes, 0);
    return columns + this.#labels.sizeBytes + this.#uuids.sizeBytes;
  }

  /** Milliseconds after the first event. What has no time is at the time of the one before it. */
  #startMs({ timestamp }: JsonObject): number {
    const ms = typeof timestamp === 'string' ? this.#times.parse(timestamp) : Number.NaN;
    if (Number.isNaN(ms)) return this.#lastMs;
    this.#firstMs ??= ms;
    this.#lastMs = Math.max(0, ms - this.#firstMs);
    return this.#lastMs;
  }

  #durationOf(event: JsonObject): number {
    const { timestamp, completed } = event;
    const isTold = typeof timestamp === 'string' && typeof completed === 'string';
    const ms = isTold ? this.#times.parse(completed) - this.#times.parse(timestamp) : Number.NaN;
    const seconds = event.working_time ?? ownCall(event)?.time;
    const known = ms >= 0 ? ms : typeof seconds === 'number' ? seconds * 1_000 : 0;
    return known >= 0 && known <= COUNT_MAX ? known : 0;
  }

  #endSpan(begun: number, endMs: number): void {
    const { start, durationMs } = this.#columns;
    durationMs.set(begun, Math.min(Math.max(0, endMs - start.at(begun)), COUNT_MAX));
  }

  #label(event: JsonObject, index: number, headOf: HeadOf): number {
    const { text, later } = labelOf(event, headOf);
    this.#labels.push(text);
    if (later === undefined) return 0;
    const waiting = this.#late.get(later);
    if (waiting) waiting.push(index);
    else this.#late.set(later, [index]);
    return LATE_LABEL;
  }

  /** Positions are in order of first appearance: those beyond all that were referred to are new with this event. */
  #noteReferred(refs: Json | undefined, index: number): void {
    for (const range of isJsonArray(refs) ? refs : []) {
      const end = isJsonArray(range) ? range[1] : undefined;
      if (typeof end !== 'number' || end > POSITIONS_MAX) continue;
      while (this.#referrers.length < end) this.#referrers.push(index);
    }
  }

  #told(flags: number): number {
    const gap = (flags & LOST_SPAN) === 0 ? 0 : EVENT_FLAGS.gapBefore;
    return (flags & TOLD) | (this.isRecovered ? EVENT_FLAGS.recovered | gap : 0);
  }
}

const TOLD = LOST_SPAN - 1;

function flagsOf(event: JsonObject): number {
  const isReplayed = isJsonObject(event.metadata) && isMarkedReplayed(event.metadata.holdfast);
  return (
    (isFailure(event) ? EVENT_FLAGS.error : 0) |
    (isReplayed ? EVENT_FLAGS.replayed : 0) |
    (event.pending === true ? EVENT_FLAGS.pending : 0) |
    (isAboveZero(event.retries ?? ownCall(event)?.retries) ? EVENT_FLAGS.retried : 0)
  );
}

function isMarkedReplayed(mark: Json | undefined): boolean {
  return isJsonObject(mark) && mark.replayed === true;
}

function isFailure(event: JsonObject): boolean {
  switch (event.event) {
    case 'error':
      return true;
    case 'model':
      return isSaid(event.error) || (isJsonObject(event.output) && isSaid(event.output.error));
    case 'tool':
      return isSaid(event.error) || event.failed === true;
    case 'logger': {
      const level = isJsonObject(event.message) ? event.message.level : undefined;
      return level === 'error' || level === 'critical';
    }
    default:
      return isSaid(ownCall(event)?.error);
  }
}

function isAboveZero(value: Json | undefined): boolean {
  return typeof value === 'number' && value > 0;
}

function isSaid(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== '';
}

/** What code asked for by itself stands in info events of ours. */
function ownCall({ event, source, data }: JsonObject): JsonObject | undefined {
  const isOurs = event === 'info' && (source === 'http' || source === 'record');
  return isOurs && isJsonObject(data) ? data : undefined;
}

function usageOf({ event, output }: JsonObject): { readonly tokens: number; readonly usd: number } {
  const usage = event === 'model' && isJsonObject(output) ? output.usage : undefined;
  if (!isJsonObject(usage)) return { tokens: 0, usd: 0 };
  const { total_tokens, total_cost } = usage;
  const tokens = typeof total_tokens === 'number' && total_tokens > 0 ? total_tokens : 0;
  const usd = typeof total_cost === 'number' && Number.isFinite(total_cost) ? total_cost : 0;
  return { tokens: Math.min(tokens, COUNT_MAX), usd };
}

/** The id of the message that came with an event: what a model answered, or a tool. */
export function messageBroughtBy(event: JsonObject): string | undefined {
  if (event.event === 'tool') return typeof event.message_id === 'string' ? event.message_id : undefined;
  if (event.event !== 'model' || !isJsonObject(event.output)) return undefined;
  const [choice] = isJsonArray(event.output.choices) ? event.output.choices : [];
  const message = isJsonObject(choice) ? choice.message : undefined;
  return isJsonObject(message) && typeof message.id === 'string' ? message.id : undefined;
}

/** Of a uuid four bytes are kept: enough to look at hardly any event that has another. */
function hashOf(uuid: Json | undefined): number {
  if (typeof uuid !== 'string') return 0;
  let hash = 0x811c9dc5;
  for (let at = 0; at < uuid.length; at++) hash = Math.imul(hash ^ uuid.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}
