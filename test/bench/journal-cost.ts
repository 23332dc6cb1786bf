import { systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type EvalDefinition, includes } from '../../src/evals/index.ts';
import type { Journal } from '../../src/journal/index.ts';
import type { SampleJournal } from '../../src/runner/sample-journal.ts';
import { sealRun } from '../../src/seal/index.ts';
import { mockModel } from '../../src/targets/index.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, median, rounded } from './bench.ts';
import { type BenchRun, openBenchRun } from './bench-run.ts';

const SAMPLES = 20_000;
/** Slices with and without the journal take turns, so that a machine that slows down slows down both. */
const SLICE_SAMPLES = 1_000;
const CONCURRENCY = 100;
const ROUNDS = 3;
const RATIO_MAX = 1.5;

/** What durability costs when the target itself costs nothing: the worst case there is. */
export const journalCost: Bench = {
  name: 'journal',
  about: 'the time of a run with its journal, beside the same run with a journal that forgets',
  run: async () => [
    await compare('a function that answers at once', plainEval, undefined),
    await compare('a model that answers at once', modelEval, 'mock/at-once'),
  ],
};

const ROWS = Array.from({ length: SAMPLES }, (_, index) => ({
  id: `sample-${index}`,
  input: `Question ${index}?`,
  target: '42',
}));

/** Five events a sample: its start, the span of the target, the span of the scorers. */
const plainEval: EvalDefinition = {
  name: 'at-once',
  data: ROWS,
  target: async ({ input }: { input: unknown }) => `The answer to ${input} is 42.`,
  scorers: [],
};

/** Seven events: those, the model's call and a score; its answer is durable before the target sees it. */
const modelEval: EvalDefinition = {
  name: 'at-once-model',
  data: ROWS,
  target: async ({ input }, { generate }) => (await generate(String(input))).text,
  scorers: [includes()],
};

async function compare(
  what: string,
  definition: EvalDefinition,
  modelName: string | undefined,
): Promise<Finding> {
  await withRun(definition, modelName, takeTurns); // The engine compiles both paths.
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await withRun(definition, modelName, takeTurns));
  const offMs = median(rounds.map((round) => round.offMs));
  const onMs = median(rounds.map((round) => round.onMs));
  const sealMs = median(rounds.map((round) => round.sealMs));
  const fsyncs = median(rounds.map((round) => round.fsyncs));
  const samplesPerSecond = { off: perSecond(offMs), on: perSecond(onMs) };
  return {
    what,
    measured: median(rounds.map((round) => round.onMs / round.offMs)),
    atMost: RATIO_MAX,
    figures: {
      samples: SAMPLES,
      concurrency: CONCURRENCY,
      ratios: rounds.map((round) => rounded(round.onMs / round.offMs)),
      samplesPerSecond,
      ...rounds[0],
      offMs: rounded(offMs, 0),
      onMs: rounded(onMs, 0),
      fsyncs,
      sealMs: rounded(sealMs, 0),
    },
    line: `on ${rounded(onMs, 0)} ms, off ${rounded(offMs, 0)} ms; ${samplesPerSecond.on} samples/s with ${fsyncs} fsyncs; sealing apart ${rounded(sealMs, 0)} ms`,
  };
}

function perSecond(ms: number): number {
  return rounded(SAMPLES / (ms / 1_000), 0);
}

interface Round {
  readonly offMs: number;
  readonly onMs: number;
  readonly fsyncs: number;
  readonly eventsPerSample: number;
  readonly journalBytesPerSample: number;
  readonly sealMs: number;
}

async function takeTurns(run: BenchRun): Promise<Round> {
  const journal = await run.createJournal();
  try {
    const commitsBefore = journal.commits;
    let offMs = 0;
    let onMs = 0;
    for (let from = 0; from < SAMPLES; from += SLICE_SAMPLES) {
      const slice = { from, to: from + SLICE_SAMPLES };
      offMs += await run.execute(FORGETFUL, slice);
      onMs += await run.execute(journal, slice);
    }
    const fsyncs = journal.commits - commitsBefore;
    const startedMs = performance.now();
    await seal(run, journal);
    const sealMs = performance.now() - startedMs;
    const journalBytes = Number(journal.pragma('page_count')) * Number(journal.pragma('page_size'));
    return {
      offMs,
      onMs,
      fsyncs,
      eventsPerSample: journal.eventCount(1),
      journalBytesPerSample: rounded(journalBytes / SAMPLES, 0),
      sealMs,
    };
  } finally {
    journal.close();
  }
}

async function seal(run: BenchRun, journal: Journal): Promise<void> {
  const { completed } = await sealRun({
    disk: nodeDisk,
    clock: systemClock,
    sources: [journal],
    logPath: run.logPath,
    resolveLog: (log) => log,
    outcome: { status: 'success' },
  });
  if (completed !== SAMPLES) throw new Error(`${completed} of ${SAMPLES} samples were kept`);
}

async function withRun<T>(
  definition: EvalDefinition,
  modelName: string | undefined,
  work: (run: BenchRun) => Promise<T>,
): Promise<T> {
  await using dir = await makeTempDir();
  const run = await openBenchRun({
    definition,
    concurrency: CONCURRENCY,
    dir: dir.path,
    ...(modelName
      ? { model: { name: modelName, model: mockModel({ name: modelName, answers: ['It is 42.'] }) } }
      : {}),
  });
  try {
    return await work(run);
  } finally {
    await run.close();
  }
}

/** Takes everything and keeps nothing. */
const FORGETFUL: SampleJournal = {
  startAttempt: () => FORGETFUL_ATTEMPT,
  resumeAttempt: () => FORGETFUL_ATTEMPT,
};

const FORGETFUL_ATTEMPT: ReturnType<SampleJournal['startAttempt']> = {
  n: 0,
  event: () => undefined,
  answer: async () => undefined,
  output: async () => undefined,
  finish: async () => undefined,
};
