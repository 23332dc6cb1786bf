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
  readonly metadataDigest: string;
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
  const finished = await runPython(place, ['check_log.py', log]);
  if (finished.exitCode !== 0)
    throw new Error(`check_log.py failed on ${log}: ${finished.stderr.slice(-1000)}`);
  return JSON.parse(finished.stdout);
}

/** Everything that `theirs` holds and `ours` does not, one sentence each. Ours may hold more. */
export function missingFrom(ours: LogReport, theirs: LogReport): string[] {
  if (ours.whole === null) return ['our log cannot be read'];
  const samples = new Map(ours.whole.samples.map((sample) => [sampleKey(sample), sample]));
  return (theirs.whole?.samples ?? []).flatMap((sample) => {
    const mine = samples.get(sampleKey(sample));
    return mine === undefined ? [`sample ${sampleKey(sample)} is missing`] : missingFromSample(mine, sample);
  });
}

/** The numbers of two logs of one run that are not equal. */
export function unequalNumbers(ours: LogReport, theirs: LogReport): string[] {
  const pairs: [string, unknown, unknown][] = [
    ['status', ours.whole?.status, theirs.whole?.status],
    ['samples', ours.whole?.samples.length, theirs.whole?.samples.length],
    ['results', ours.whole?.results, theirs.whole?.results],
  ];
  return pairs
    .filter(([, mine, their]) => !same(mine, their))
    .map(([name, mine, their]) => unequal(name, mine, their));
}

export function sampleKey(sample: { readonly id: string | number; readonly epoch: number }): string {
  return `${sample.id}/${sample.epoch}`;
}

function missingFromSample(ours: SampleReport, theirs: SampleReport): string[] {
  const where = `sample ${sampleKey(theirs)}`;
  const held = new Set(ours.eventIds);
  const lost = theirs.eventIds.filter((id) => !held.has(id));
  const problems =
    lost.length > 0 ? [`${where}: ${lost.length} events are missing (${lost.slice(0, 3).join(', ')})`] : [];
  const said = theirs.messages - theirs.emptyMessages;
  if (ours.messages - ours.emptyMessages < said)
    problems.push(unequal(`${where} messages`, ours.messages, said));
  for (const field of ['scores', 'limit', 'inputDigest', 'metadataDigest'] as const) {
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

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

function unequal(name: string, ours: unknown, theirs: unknown): string {
  return `${name}: ours ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`;
}
