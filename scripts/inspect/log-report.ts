// The report that check_log.py prints of a log, and the comparison of two of them.

import { runPython, type Workplace } from './workplace.ts';

export interface SampleReport {
  readonly id: string | number;
  readonly epoch: number;
  readonly uuid: string | null;
  readonly messages: number;
  /** Assistant messages that say and call nothing: what Inspect makes of a call in flight. */
  readonly emptyMessages: number;
  readonly events: number;
  readonly eventsByType: Readonly<Record<string, number>>;
  readonly eventIds: readonly string[];
  readonly scores: Readonly<Record<string, unknown>>;
  readonly error: string | null;
  readonly limit: readonly unknown[] | null;
  readonly retries: number;
  readonly usage: Usage;
  readonly inputDigest: string;
  readonly store: readonly string[];
  readonly full?: {
    readonly metadata: Readonly<Record<string, unknown>>;
    readonly errorTraceback: string | null;
  };
}

export interface LogReport {
  readonly whole: {
    readonly status: string;
    readonly results: {
      readonly total: number;
      readonly completed: number;
      readonly scores: readonly ScoreReport[];
    } | null;
    readonly usage: Usage;
    readonly samples: readonly SampleReport[];
  } | null;
  readonly dataFrames: { readonly samples: number; readonly events: number; readonly tokens: number } | null;
  readonly problems: readonly string[];
}

interface ScoreReport {
  readonly name: string;
  readonly metrics: Readonly<Record<string, number | string>>;
}

type Usage = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Reads a log in every way that Inspect has. */
export async function reportLog(place: Workplace, log: string): Promise<LogReport> {
  const finished = await runPython(place, ['check_log.py', log, '--full']);
  if (finished.exitCode !== 0)
    throw new Error(
      `check_log.py ended with ${finished.signal ?? finished.exitCode} on ${log}: ${finished.stderr.slice(-1000)}`,
    );
  return JSON.parse(finished.stdout);
}

/**
 * Everything that `theirs` holds and `ours` does not, one sentence each. Ours may hold more. `messages` says how many
 * messages a completed sample ended with: Inspect's recovery also lists those that a compaction had dropped.
 */
export function missingFrom(
  ours: LogReport,
  theirs: LogReport,
  messages: ReadonlyMap<string, number> = new Map(),
): string[] {
  if (ours.whole === null) return ['our log cannot be read'];
  const samples = new Map(ours.whole.samples.map((sample) => [sampleKey(sample), sample]));
  return (theirs.whole?.samples ?? []).flatMap((sample) => {
    const key = sampleKey(sample);
    const mine = samples.get(key);
    return mine === undefined
      ? [`sample ${key} is missing`]
      : missingFromSample(mine, sample, mine.error === null ? messages.get(key) : undefined);
  });
}

/** What ours holds beyond theirs, counted. */
export function moreThan(ours: LogReport, theirs: LogReport): Readonly<Record<string, number>> {
  const known = new Map(theirs.whole?.samples.map((sample) => [sampleKey(sample), sample]));
  const more = { samples: 0, events: 0, stores: 0, tracebacks: 0, limits: 0, retries: 0, metadata: 0 };
  for (const sample of ours.whole?.samples ?? []) {
    const their = known.get(sampleKey(sample));
    if (their === undefined) more.samples++;
    more.events += sample.eventIds.filter((id) => !their?.eventIds.includes(id)).length;
    if (sample.store.length > (their?.store.length ?? 0)) more.stores++;
    if (isLonger(sample.full?.errorTraceback, their?.full?.errorTraceback)) more.tracebacks++;
    if (sample.limit !== null && (their?.limit ?? null) === null) more.limits++;
    if (sample.retries > (their?.retries ?? 0)) more.retries++;
    if (keysOf(sample) > (their === undefined ? 0 : keysOf(their))) more.metadata++;
  }
  return more;
}

/** The numbers of two logs of one run that are not equal. Where ours holds more samples, it counts more of them. */
export function unequalNumbers(ours: LogReport, theirs: LogReport): string[] {
  const isMore = (ours.whole?.samples.length ?? 0) > (theirs.whole?.samples.length ?? 0);
  const results = (report: LogReport) => (isMore ? report.whole?.results?.scores : report.whole?.results);
  const pairs: [string, unknown, unknown][] = [
    ['status', ours.whole?.status, theirs.whole?.status],
    ['results', results(ours), results(theirs)],
  ];
  return pairs
    .filter(([, mine, their]) => !same(mine, their))
    .map(([name, mine, their]) => unequal(name, mine, their));
}

export function sampleKey(sample: { readonly id: string | number; readonly epoch: number }): string {
  return `${sample.id}/${sample.epoch}`;
}

function missingFromSample(ours: SampleReport, theirs: SampleReport, messages: number | undefined): string[] {
  const where = `sample ${sampleKey(theirs)}`;
  const eventIds = new Set(ours.eventIds);
  const lost = theirs.eventIds.filter((id) => !eventIds.has(id));
  const problems =
    lost.length > 0 ? [`${where}: ${lost.length} events are missing (${lost.slice(0, 3).join(', ')})`] : [];
  const said = messages ?? theirs.messages - theirs.emptyMessages;
  const held = messages === undefined ? ours.messages - ours.emptyMessages : ours.messages;
  if (held < said) problems.push(unequal(`${where} messages`, held, said));
  for (const [name, value] of Object.entries(theirs.full?.metadata ?? {}))
    if (!same(ours.full?.metadata[name], value))
      problems.push(unequal(`${where} metadata ${name}`, ours.full?.metadata[name], value));
  for (const field of ['scores', 'limit', 'inputDigest'] as const) {
    const their = theirs[field];
    const given = their !== null && !(typeof their === 'object' && Object.keys(their).length === 0);
    if (given && !same(ours[field], their)) problems.push(unequal(`${where} ${field}`, ours[field], their));
  }
  if ((ours.error === null) !== (theirs.error === null))
    problems.push(unequal(`${where} error`, ours.error, theirs.error));
  for (const [model, usage] of Object.entries(theirs.usage)) {
    if (!same(ours.usage[model], usage))
      problems.push(unequal(`${where} usage of ${model}`, ours.usage[model], usage));
  }
  return problems;
}

function isLonger(one: string | null | undefined, other: string | null | undefined): boolean {
  return (one?.length ?? 0) > (other?.length ?? 0);
}

function keysOf({ full }: SampleReport): number {
  return Object.keys(full?.metadata ?? {}).length;
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

/** Sums of the same numbers in another order differ in their last digit. */
const DIGITS = 12;

function sorted(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(DIGITS));
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

function unequal(name: string, ours: unknown, theirs: unknown): string {
  const text = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 300);
  return `${name}: ours ${text(ours)}, theirs ${text(theirs)}`;
}
