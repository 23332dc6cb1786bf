import { Option } from 'commander';
import { DamageError, toJson, UsageError } from '../../base/index.ts';
import { readSamplePoint, type SamplePoint, sampleHistory } from '../../compare/index.ts';
import { readRunFromLog } from '../../log/index.ts';
import type { ResultsStore, RunRow } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { type HistoryScore, historyReport, sampleReport, scoreIn } from '../history/history-report.ts';
import { parseCount } from '../parse-values.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import type { Terminal } from '../terminal.ts';

interface HistoryFlags extends ResultsFlags {
  readonly sample?: string;
  readonly target?: string;
  readonly scorer?: string;
  readonly limit: number;
}

export const command = defineCommand<HistoryFlags>({
  summary: 'Show the score of an eval over time, or when a sample flipped',
  description: `The published runs of an eval, newest first, with their commits. With --sample: what became of one sample from run to run, the
first run where it flipped and what changed there, told apart from a flaky one.`,
  arguments: [['<eval>', 'the name of an eval']],
  options: [
    new Option('--sample <id>', 'one sample, over all runs that have it'),
    new Option('--target <name>', 'only runs on this target'),
    new Option('--scorer <name>', 'another scorer than the first'),
    new Option('--limit <n>', 'at most so many runs, the newest').argParser(parseCount).default(30),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast history capitals', 'how the score went'],
    ['holdfast history capitals --sample france', 'when that sample flipped, and why'],
  ],
  exits: {
    0: 'shown',
    1: 'git failed',
    2: 'no such eval, scorer or sample is published, or there are no results yet',
    3: 'a run is damaged; the others are shown',
  },
  async run({ args, flags, terminal }) {
    const name = String(args[0]);
    await using results = await resultsOf(flags, terminal);
    const { runs } = await results.list({
      eval: name,
      limit: flags.limit,
      ...(flags.target !== undefined && { target: flags.target }),
    });
    const rows = runs.flatMap(({ row }) => row ?? []);
    if (rows.length === 0) throw await noSuchEval(results, name, flags);
    if (flags.sample !== undefined)
      return await sayHistoryOf(flags.sample, { name, rows, results, flags, terminal });
    const score = scoreOf(rows, flags);
    if (flags.json)
      terminal.json(
        toJson({ eval: name, score: score ?? null, runs: rows.map((row) => pointOf(row, score)) }),
      );
    else for (const line of historyReport(rows, score, terminal)) terminal.line(line);
    return EXIT.ok;
  },
});

/** Runs are opened a few at a time, each only for as long as its list of samples is read. */
const OPEN_AT_A_TIME = 4;

interface SampleCall {
  readonly name: string;
  readonly rows: readonly RunRow[];
  readonly results: ResultsStore;
  readonly flags: HistoryFlags;
  readonly terminal: Terminal;
}

async function sayHistoryOf(sample: string, call: SampleCall): Promise<ExitCode> {
  const { name, rows, results, flags, terminal } = call;
  const points: SamplePoint[] = [];
  const damage: string[] = [];
  const oldestFirst = rows.toReversed();
  for (let at = 0; at < oldestFirst.length; at += OPEN_AT_A_TIME) {
    const some = oldestFirst.slice(at, at + OPEN_AT_A_TIME);
    for (const found of await Promise.all(some.map(({ run }) => pointIn(results, run, sample))))
      if (found instanceof DamageError) damage.push(found.message);
      else if (found) points.push(found);
  }
  if (points.length === 0 && damage.length === 0) throw noSuchSample(sample, rows);
  const history = sampleHistory(points, flags.scorer);
  if (flags.json) terminal.json(toJson({ eval: name, ...history, damage }));
  else for (const line of sampleReport(history, terminal)) terminal.line(line);
  for (const said of damage) terminal.note(terminal.noteStyle.bad(said));
  return damage.length > 0 ? EXIT.damage : EXIT.ok;
}

/** A run that is damaged is said to be so, and hinders no other. */
async function pointIn(
  results: ResultsStore,
  run: string,
  sample: string,
): Promise<SamplePoint | DamageError | undefined> {
  try {
    const reader = readRunFromLog(await results.open(await results.find(run)));
    try {
      return await readSamplePoint(reader, sample);
    } finally {
      await reader.close();
    }
  } catch (error) {
    if (error instanceof DamageError) return error;
    throw error;
  }
}

/** The first score of the newest run that has one, unless another is asked for. */
function scoreOf(rows: readonly RunRow[], { scorer }: HistoryFlags): HistoryScore | undefined {
  for (const { scores } of rows) {
    const found = scores.find(
      ({ name, scorer: by }) => scorer === undefined || name === scorer || by === scorer,
    );
    if (found) return { name: found.name, metric: found.metric };
  }
  if (scorer === undefined) return undefined;
  const known = [...new Set(rows.flatMap(({ scores }) => scores.map(({ name }) => name)))];
  throw new UsageError({
    code: 'E_HISTORY_NONE',
    message: `No run of these has a score of ${scorer}.`,
    hint: known.length === 0 ? 'They have no scores at all.' : `There are ${known.join(', ')}.`,
  });
}

function pointOf(row: RunRow, score: HistoryScore | undefined) {
  const { run, target, start, status, code, usd, samples, passRate } = row;
  const found = scoreIn(row, score);
  return {
    run,
    target,
    start,
    status,
    ...(code && { code }),
    ...(found && { value: found.value, low: found.low, high: found.high }),
    ...(passRate !== undefined && { passRate }),
    samples,
    usd,
  };
}

const EVALS_NAMED = 8;

async function noSuchEval(
  results: ResultsStore,
  name: string,
  { target }: HistoryFlags,
): Promise<UsageError> {
  const { runs } = await results.list({ limit: 200 });
  const known = [...new Set(runs.flatMap(({ row }) => row?.eval ?? []))].slice(0, EVALS_NAMED);
  return new UsageError({
    code: 'E_HISTORY_NONE',
    message: `No published run is of ${name}${target === undefined ? '' : ` on ${target}`}.`,
    hint:
      known.length === 0
        ? 'Publish one with "holdfast results publish <log>".'
        : `There are runs of ${known.join(', ')}.`,
  });
}

function noSuchSample(sample: string, rows: readonly RunRow[]): UsageError {
  return new UsageError({
    code: 'E_HISTORY_NONE',
    message: `None of the last ${rows.length} runs has a sample ${sample}.`,
    hint: 'Look further back with --limit, or see the ids of a run with "holdfast log show <log>".',
  });
}
