import { basename, dirname } from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type EvalDefinition, includes } from '../../src/evals/index.ts';
import { AttemptWriter, type JournalWriter, type RowSink, RunJournals } from '../../src/journal/index.ts';
import { createCondenser, directoryLogStore } from '../../src/log/index.ts';
import type { SampleJournal } from '../../src/runner/sample-journal.ts';
import { applySeal, planSeal } from '../../src/seal/index.ts';
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
  about: 'the time of samples with their journal, beside the same without it',
  run: async () => [
    ...(await compare('a function that answers at once', plainEval, undefined)),
    ...(await compare('a model that answers at once', modelEval, 'mock/at-once')),
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
): Promise<readonly Finding[]> {
  const rounds: Round[] = [];
  // The first round is not counted: in it the engine compiles all three paths.
  for (let round = 0; round <= ROUNDS; round++) {
    rounds.push(await withRun(definition, modelName, (run) => takeTurns(run, round === ROUNDS)));
  }
  const counted = rounds.slice(1);
  const times = {
    nothingMs: rounded(median(counted.map(({ nothingMs }) => nothingMs)), 0),
    memoryMs: rounded(median(counted.map(({ memoryMs }) => memoryMs)), 0),
    journalMs: rounded(median(counted.map(({ journalMs }) => journalMs)), 0),
  };
  const last = counted.at(-1);
  const figures = {
    samples: SAMPLES,
    concurrency: CONCURRENCY,
    ...last,
    ...times,
    samplesPerSecond: {
      nothing: perSecond(times.nothingMs),
      memory: perSecond(times.memoryMs),
      journal: perSecond(times.journalMs),
    },
  };
  const line = `${times.journalMs} ms with ${last?.fsyncs} fsyncs (${perSecond(times.journalMs)} samples/s), ${times.memoryMs} ms in memory, ${times.nothingMs} ms without a trace; sealing apart ${rounded(last?.sealMs ?? Number.NaN, 0)} ms`;
  const against = (name: string, pick: (round: Round) => number): Finding => {
    const ratios = counted.map((round) => round.journalMs / pick(round));
    return {
      what: `${what}, beside a run that ${name}`,
      measured: median(ratios),
      atMost: RATIO_MAX,
      figures: { ...figures, ratios: ratios.map((ratio) => rounded(ratio)) },
      line,
    };
  };
  return [
    against('keeps its transcript in memory', ({ memoryMs }) => memoryMs),
    against('keeps nothing at all', ({ nothingMs }) => nothingMs),
  ];
}

function perSecond(ms: number): number {
  return rounded(SAMPLES / (ms / 1_000), 0);
}

interface Round {
  readonly nothingMs: number;
  readonly memoryMs: number;
  readonly journalMs: number;
  readonly fsyncs: number;
  readonly eventsPerSample: number;
  readonly journalBytesPerSample: number;
  readonly sealMs: number;
}

async function takeTurns(run: BenchRun, isLast: boolean): Promise<Round> {
  const journal = await run.createJournal();
  const memory = journalInMemory();
  try {
    const commitsBefore = journal.commits;
    const times = { nothingMs: 0, memoryMs: 0, journalMs: 0 };
    for (let from = 0; from < SAMPLES; from += SLICE_SAMPLES) {
      const slice = { from, to: from + SLICE_SAMPLES };
      times.nothingMs += await run.execute(FORGETFUL, slice);
      times.memoryMs += await run.execute(memory, slice);
      times.journalMs += await run.execute(journal, slice);
    }
    const fsyncs = journal.commits - commitsBefore;
    const startedMs = performance.now();
    if (isLast) await seal(run, journal);
    const sealMs = performance.now() - startedMs;
    const journalBytes =
      journal.reader.rows.number('PRAGMA page_count') * journal.reader.rows.number('PRAGMA page_size');
    const journalBytesPerSample = rounded(journalBytes / SAMPLES, 0);
    return { ...times, fsyncs, eventsPerSample: journal.reader.eventCount(1), journalBytesPerSample, sealMs };
  } finally {
    journal.close();
  }
}

async function seal(run: BenchRun, journal: JournalWriter): Promise<void> {
  const journals = new RunJournals([journal.reader], { runDir: dirname(journal.dir), unreadable: [] });
  const logs = directoryLogStore(nodeDisk, dirname(run.logPath));
  const { plan } = await applySeal(await planSeal(journals, logs), {
    clock: systemClock,
    logs,
    name: basename(run.logPath),
    outcome: { status: 'success' },
  });
  const { completed } = plan.counts;
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
  failure: undefined,
  startAttempt: () => FORGETFUL_ATTEMPT,
  continueAttempt: () => FORGETFUL_ATTEMPT,
};

const FORGETFUL_ATTEMPT: ReturnType<SampleJournal['startAttempt']> = {
  n: 0,
  event: () => undefined,
  answer: async () => undefined,
  replayed: () => undefined,
  output: async () => undefined,
  finish: async () => undefined,
};

/** What a run needs to end in a log, and no more: the rows of a journal, kept in memory until then. */
function journalInMemory(): SampleJournal {
  const rows: unknown[] = [];
  const sink: RowSink = {
    group: 0,
    insert: (table, row) => void rows.push([table, row]),
    grew: () => undefined,
    flush: async () => undefined,
  };
  return {
    failure: undefined,
    startAttempt(start) {
      const writer = new AttemptWriter(sink, {
        n: rows.length,
        origin: 'bench',
        start,
        condenser: createCondenser(),
      });
      writer.begin();
      return writer;
    },
    continueAttempt: () => FORGETFUL_ATTEMPT,
  };
}
