import { definedOf, UsageError } from '../../base/index.ts';
import {
  type SamplePoint as PointOfSample,
  placesOf,
  type RunTable,
  type SampleCell,
  type SampleHistory,
  sampleAt,
  sampleCell,
  sampleCells,
  sampleHistory,
  type ToldFigure,
  toldFigure,
  turnedSamples,
} from '../../compare/index.ts';
import type {
  EvalView,
  HistoryPoint,
  MetricScore,
  Outcome,
  RunItem,
  SampleOverTime,
  SamplePoint,
} from '../api.ts';
import type { Call } from '../call.ts';
import { historyCommand } from '../commands.ts';
import { tablesOf, type WholeRun } from '../run-tables.ts';
import type { Studio } from '../studio.ts';

/** So many of the newest runs are points of a history. */
const POINTS_MAX = 1_000;
/** So many samples are listed as newly failing, and as flaky. */
const TURNED_MAX = 500;

type Facts = NonNullable<RunItem['facts']>;
type KnownItem = RunItem & { readonly facts: Facts };

/** The history of an eval: every run as a point, and which samples turned in the newest ones. */
export async function evalHistory({
  studio,
  params,
  query,
  signal,
  sameAs,
}: Call<'eval'>): Promise<EvalView> {
  const { eval: name = '' } = params;
  const items = await itemsOf(studio, name, signal);
  sameAs(studio.index.version);
  const metrics = metricsOf(items);
  const metric = query.score === undefined ? metrics[0] : metricNamed(metrics, query.score);
  const read = await readNewest(studio, { items, limit: query.limit, signal });
  const { newlyFailing, flaky } = turnedOf(read, metric?.name);
  return {
    eval: name,
    points: items
      .slice(0, POINTS_MAX)
      .map((item) => pointOf(item, metric))
      .reverse(),
    metrics: metrics.map(metricText),
    newlyFailing: newlyFailing.slice(0, TURNED_MAX).map((one) => ({ ...one, history: [...one.history] })),
    flaky: flaky.slice(0, TURNED_MAX).map((one) => ({ ...one, history: [...one.history] })),
    pairs: pairsOf(read),
    runsRead: read.length,
    command: historyCommand(studio, name),
  };
}

/** Its name in the routes is a word that no function can have. */
export { evalHistory as eval };

/** One sample in the newest runs of an eval, oldest first. */
export async function sampleOverTime({
  studio,
  params,
  query,
  signal,
  sameAs,
}: Call<'sampleOverTime'>): Promise<SampleOverTime> {
  const { eval: name = '', sample = '' } = params;
  const items = await itemsOf(studio, name, signal);
  sameAs(studio.index.version);
  const read = await readNewest(studio, { items, limit: query.limit, signal });
  const having = read.filter(({ table }) => placesOf(table, sample).length > 0);
  if (having.length === 0) throw noSample(sample, { name, runs: read.length });
  const told = toldFigure(
    having.map(({ table }) => table),
    query.score,
  );
  const history = sampleHistory(
    having.map(({ item, table }) => samplePoint(item, table, sample)),
    told.figure,
  );
  const last = having.at(-1);
  const place = last ? (placesOf(last.table, sample)[0] ?? 0) : 0;
  return {
    eval: name,
    sample: last?.table.ids[place] ?? sample,
    input: last?.table.inputs[place] ?? '',
    state: history.state,
    ...definedOf({ because: history.because }),
    points: having.map((run, index) => pointInTime(run, { sample, told, at: history.runs[index] })),
    runsRead: read.length,
    command: historyCommand(studio, name, { sample }),
  };
}

/** Newest first. */
async function itemsOf(studio: Studio, name: string, signal: AbortSignal): Promise<readonly KnownItem[]> {
  await studio.index.whole(signal);
  const all = studio.index.items();
  const items = all.filter((item): item is KnownItem => item.facts?.eval === name && item.removed !== true);
  if (items.length === 0) throw noEval(name, all);
  return items;
}

interface Newest {
  readonly items: readonly KnownItem[];
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Oldest first. What cannot be read, or is not finished, says nothing of its samples. */
async function readNewest(studio: Studio, { items, limit, signal }: Newest): Promise<readonly WholeRun[]> {
  const newest = items.filter(({ facts }) => facts.status !== 'started').slice(0, limit);
  const read = await tablesOf(studio).read(
    newest.map(({ run }) => run),
    signal,
  );
  return read.filter((run) => run.table !== undefined).reverse();
}

/** A sample on two targets has two histories. */
function pairsOf(read: readonly WholeRun[]): number {
  const found = new Set<string>();
  for (const { item, table } of read)
    for (const id of table.ids) found.add(JSON.stringify([item.facts?.target, id]));
  return found.size;
}

function turnedOf(read: readonly WholeRun[], scorer: string | undefined) {
  const tables = read.map(({ table }) => table);
  const isThere = scorer !== undefined && tables.some(({ figures }) => figures.has(scorer));
  const told = toldFigure(tables, isThere ? scorer : undefined);
  return turnedSamples(
    read.map(({ item, table }) => ({
      run: item.run,
      target: item.facts?.target ?? '',
      ...definedOf({ commit: item.facts?.code?.commit }),
      cells: sampleCells(table, told),
    })),
  );
}

/** Which metrics there are, those of the newest run first. */
function metricsOf(items: readonly KnownItem[]): readonly MetricScore[] {
  const found = new Map<string, MetricScore>();
  for (const { facts } of items)
    for (const score of facts.scores) if (!found.has(metricText(score))) found.set(metricText(score), score);
  return [...found.values()];
}

function metricText({ name, metric }: MetricScore): string {
  return `${name} ${metric}`;
}

function metricNamed(metrics: readonly MetricScore[], asked: string): MetricScore {
  const found = metrics.find(
    (one) => metricText(one) === asked || one.name === asked || one.scorer === asked,
  );
  if (found) return found;
  throw new UsageError({
    code: 'E_HISTORY_NONE',
    message: `No run of these has a score of ${asked}.`,
    hint:
      metrics.length === 0
        ? 'They have no scores at all.'
        : `There are ${metrics.map(metricText).join(', ')}.`,
  });
}

function pointOf({ run, facts }: KnownItem, metric: MetricScore | undefined): HistoryPoint {
  const score = metric && facts.scores.find((one) => metricText(one) === metricText(metric));
  const { code, samples, usd } = facts;
  return {
    run,
    start: facts.start,
    target: facts.target,
    ...definedOf({ commit: code?.commit, branch: code?.branch, score }),
    status: facts.status,
    usdPerSample: usd === null || samples.total === 0 ? null : usd / samples.total,
  };
}

function samplePoint(item: RunItem, table: RunTable, sample: string): PointOfSample {
  const { identity, facts } = table;
  const epochs = placesOf(table, sample).map((place) => sampleAt(table, place));
  return { run: item.run, start: facts.start, identity, epochs: epochs.sort((a, b) => a.epoch - b.epoch) };
}

interface InTime {
  readonly sample: string;
  readonly told: ToldFigure;
  readonly at: SampleHistory['runs'][number] | undefined;
}

function pointInTime({ item, table }: WholeRun, { sample, told, at }: InTime): SamplePoint {
  const cell = sampleCell(table, told, sample);
  const flip = at?.flip;
  return {
    run: item.run,
    start: table.facts.start,
    target: item.facts?.target ?? table.facts.model,
    ...definedOf({ commit: table.identity.commit }),
    outcome: cell?.outcome ?? 'missing',
    ...definedOf({ passed: cell?.passed, number: knownNumber(cell) }),
    epochs: cell?.epochs ?? 0,
    usd: cell && !Number.isNaN(cell.usd) ? cell.usd : null,
    ...definedOf({ answer: answerOf(table, sample) }),
    ...definedOf({
      flip: flip && {
        from: outcomeWord(flip.from),
        since: flip.since,
        changes: [...flip.changes],
        isExplained: flip.isExplained,
      },
    }),
  };
}

function knownNumber(cell: SampleCell | undefined): number | undefined {
  return cell && !Number.isNaN(cell.number) ? cell.number : undefined;
}

/** What the history of a sample calls mixed is partial to everybody else. */
function outcomeWord(outcome: SampleHistory['runs'][number]['outcome']): Outcome {
  if (typeof outcome === 'number') return 'number';
  return outcome === 'mixed' ? 'partial' : outcome;
}

function answerOf(table: RunTable, sample: string): string | undefined {
  for (const place of placesOf(table, sample)) {
    const answer = table.answers[place];
    if (answer !== undefined && answer !== '') return answer;
  }
  return undefined;
}

const EVALS_NAMED = 8;

function noEval(name: string, items: readonly RunItem[]): UsageError {
  const known = [...new Set(items.flatMap(({ facts }) => facts?.eval ?? []))].slice(0, EVALS_NAMED);
  return new UsageError({
    code: 'E_HISTORY_NONE',
    message: `No run here is of ${name}.`,
    hint: known.length === 0 ? 'Run one with "holdfast run".' : `There are runs of ${known.join(', ')}.`,
  });
}

function noSample(
  sample: string,
  { name, runs }: { readonly name: string; readonly runs: number },
): UsageError {
  return new UsageError({
    code: 'E_HISTORY_NONE',
    message: `None of the last ${runs} runs of ${name} has a sample ${sample}.`,
    hint: 'Look further back with a larger limit, or see the samples of a run on its page.',
  });
}
