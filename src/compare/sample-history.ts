import { definedOf, type Json, type SampleId } from '../base/index.ts';
import type { RunReader } from '../log/index.ts';
import { isFigureOf, numberOf } from './figures.ts';
import { identityOf, type RunIdentity } from './run-identity.ts';
import { type SideSample, sampleOf } from './side.ts';
import { type Change, changesBetween } from './what-changed.ts';

/** One sample in one run: all its epochs. */
export interface SamplePoint {
  readonly run: string;
  readonly start: string;
  readonly identity: RunIdentity;
  readonly epochs: readonly SideSample[];
}

/** What became of it there: `mixed` when its epochs do not agree; a number where its score is no pass or fail. */
export type Outcome = 'pass' | 'fail' | 'mixed' | 'error' | 'unscored' | number;

export interface SampleHistory {
  readonly sample: SampleId;
  readonly figure: string | undefined;
  /** Oldest first; only runs that have the sample. */
  readonly runs: readonly HistoryRun[];
  readonly state: 'stable' | 'flipped' | 'flaky';
  /** Why it is called flaky; absent when it is not. */
  readonly because?: string;
}

export interface HistoryRun {
  readonly run: string;
  readonly start: string;
  readonly commit?: string;
  readonly model: string;
  readonly outcome: Outcome;
  /** As the log has them, one for each epoch. */
  readonly values: readonly Json[];
  /** Present where the outcome is another than in the run before on the same model: what changed between the two. */
  readonly flip?: {
    readonly from: Outcome;
    /** The run that it is another than in. */
    readonly since: string;
    readonly changes: readonly Change[];
    readonly isExplained: boolean;
  };
}

/** Reads all epochs of one sample: of every other sample its summary goes by, and is not kept. */
export async function readSamplePoint(reader: RunReader, id: string): Promise<SamplePoint | undefined> {
  const header = await reader.header();
  const epochs: SideSample[] = [];
  for await (const { value } of reader.summaries()) if (String(value.id) === id) epochs.push(sampleOf(value));
  if (epochs.length === 0) return undefined;
  return {
    run: header.eval.run_id,
    start: header.stats.started_at || header.eval.created,
    identity: identityOf(header),
    epochs: epochs.sort((a, b) => a.epoch - b.epoch),
  };
}

/**
 * What became of a sample, from run to run, oldest first. A flip is an outcome that is another than in the run before on the same model; in
 * the first run on a model, than in the run before. So two models that are run in turn do not make a sample flip each time.
 *
 * A sample is flaky when its epochs disagree within a run, or when two runs give it other outcomes although nothing differs between them
 * that decides its result. Else its flips are by what changed there, however many there are.
 */
export function sampleHistory(points: readonly SamplePoint[], scorer?: string): SampleHistory {
  const figure = figureIn(points, scorer);
  const told: ToldPoint[] = [];
  const runs: HistoryRun[] = [];
  for (const point of points) {
    const outcome = outcomeOf(point.epochs, figure);
    const flip = isTold(outcome) ? flipAt({ point, outcome }, told) : undefined;
    runs.push({ ...runOf(point, figure), outcome, ...definedOf({ flip }) });
    if (isTold(outcome)) told.push({ point, outcome });
  }
  const because = whyFlaky(told);
  const hasFlipped = runs.some(({ flip }) => flip !== undefined);
  return {
    sample: points[0]?.epochs[0]?.id ?? '',
    figure,
    runs,
    state: because !== undefined ? 'flaky' : hasFlipped ? 'flipped' : 'stable',
    ...definedOf({ because }),
  };
}

/** A run that says something of the sample. */
interface ToldPoint {
  readonly point: SamplePoint;
  readonly outcome: Outcome;
}

function runOf({ run, start, identity, epochs }: SamplePoint, figure: string | undefined) {
  return {
    run,
    start,
    ...definedOf({ commit: identity.commit }),
    model: identity.model,
    values: epochs.map(({ figures, state }) =>
      state === 'errored' ? 'error' : ((figure === undefined ? undefined : figures.get(figure)) ?? null),
    ),
  };
}

function flipAt({ point, outcome }: ToldPoint, earlier: readonly ToldPoint[]): HistoryRun['flip'] {
  const { model } = point.identity;
  const before = earlier.findLast((one) => one.point.identity.model === model) ?? earlier.at(-1);
  if (!before || before.outcome === outcome) return undefined;
  return { from: before.outcome, since: before.point.run, ...explain(before.point, point) };
}

/** A run in which it was not scored says nothing about it. */
function isTold(outcome: Outcome): boolean {
  return outcome !== 'unscored';
}

/** The one that was asked for, else the first that any run has. */
function figureIn(points: readonly SamplePoint[], scorer: string | undefined): string | undefined {
  for (const { epochs } of points)
    for (const { figures } of epochs)
      for (const figure of figures.keys())
        if (scorer === undefined || isFigureOf(figure, scorer)) return figure;
  return undefined;
}

function outcomeOf(epochs: readonly SideSample[], figure: string | undefined): Outcome {
  if (epochs.some(({ state }) => state === 'errored')) return 'error';
  const values = epochs.flatMap(
    ({ figures }) => numberOf(figure === undefined ? undefined : figures.get(figure)) ?? [],
  );
  if (values.length === 0) return 'unscored';
  if (!values.every((value) => value === 0 || value === 1))
    return values.reduce((total, value) => total + value, 0) / values.length;
  const passed = values.filter((value) => value === 1).length;
  return passed === values.length ? 'pass' : passed === 0 ? 'fail' : 'mixed';
}

/**
 * What changed between two runs that can explain another outcome. Another commit does not when the digests of target and scorers are
 * known and alike: what it changed is not used by this eval.
 */
function explain(before: SamplePoint, after: SamplePoint) {
  const found = changesBetween(before.identity, after.identity);
  const isOtherRow = before.epochs[0]?.row !== after.epochs[0]?.row;
  const row: Change = { what: 'dataset', said: "the sample's own input or target differs", isWarning: true };
  const changes = isOtherRow ? [...found, row] : found;
  const hasDigests = [before, after].every(({ identity }) => identity.target !== undefined);
  const isExplained = changes.some(({ what }) => !(what === 'commit' && hasDigests));
  return { changes, isExplained };
}

/** Each run is held against the last one before it that nothing tells apart from it, whatever was run between them. */
function whyFlaky(told: readonly ToldPoint[]): string | undefined {
  const mixed = told.find(({ outcome }) => outcome === 'mixed');
  if (mixed) return `its epochs disagree in run ${mixed.point.run}`;
  for (const [index, { point, outcome }] of told.entries()) {
    const twin = told.slice(0, index).findLast((one) => !explain(one.point, point).isExplained);
    if (twin && twin.outcome !== outcome)
      return `it flipped in run ${point.run} although nothing changed that decides its result since run ${twin.point.run}`;
  }
  return undefined;
}
