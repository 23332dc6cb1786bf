/** A project with results in git, logs, runs of other tools and damage: what the Studio is developed and tested with. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isoSeconds, isoTime, type Random, seededRandom } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import type { EvalResults, LogHeader, SampleFields } from '../../../src/log/index.ts';
import { type FixtureSample, fixtureFields, fixtureSpec, writeFixtureLog } from '../log-fixture.ts';
import { initRepository, openResults, runIdAt } from '../results-repo.ts';
import { EVALS, rowOf, type SimulatedEval, type SimulatedTarget, TARGETS } from './evals.ts';
import { type SimulatedEnd, transcriptOf } from './transcript.ts';

export interface StudioStoreOptions {
  /** How often every eval was run on every target. */
  readonly rounds?: number;
  /** The last of them was then. */
  readonly endMs?: number;
  readonly seed?: number;
  /** Only these evals, and no more samples of each; all of them otherwise. */
  readonly evals?: readonly string[];
  readonly samples?: number;
}

export interface StudioStore {
  /** The repository; its logs are in `logs/`. */
  readonly dir: string;
  /** Oldest first. */
  readonly runs: readonly string[];
}

const DAY_MS = 86_400_000;

export async function makeStudioStore(dir: string, options: StudioStoreOptions = {}): Promise<StudioStore> {
  const { rounds = 3, endMs = Date.UTC(2026, 10, 16, 9), seed = 7 } = options;
  const evals = EVALS.filter(({ name }) => options.evals?.includes(name) ?? true).map((about) => ({
    ...about,
    samples: Math.min(about.samples, options.samples ?? about.samples),
  }));
  initRepository(dir);
  mkdirSync(join(dir, 'logs'), { recursive: true });
  const runs: string[] = [];
  await using repo = await openResults(dir);
  for (let round = 0; round < rounds; round++) {
    for (const [e, about] of evals.entries()) {
      for (const [t, target] of TARGETS.entries()) {
        const startMs = endMs - (rounds - 1 - round) * DAY_MS * 2 - e * 3_600_000 - t * 900_000;
        const simulated = simulateRun({
          about,
          target,
          round,
          startMs,
          random: seededRandom(seed + round * 100 + e * 10 + t),
        });
        const path = join(dir, 'logs', `${simulated.run}.eval`);
        await writeFixtureLog(nodeDisk, path, simulated);
        // The newest of one eval waits to be published.
        if (!(round === rounds - 1 && about.name === 'capitals')) await repo.publish(path);
        runs.push(simulated.run);
      }
    }
  }
  writeFileSync(
    join(dir, 'logs', '2026-11-15T08-00-00+00-00_torn_x.eval'),
    Buffer.from('PK\u0003\u0004 this was cut off'),
  );
  return { dir, runs: runs.sort() };
}

interface RunInput {
  readonly about: SimulatedEval;
  readonly target: SimulatedTarget;
  readonly round: number;
  readonly startMs: number;
  readonly random: Random;
}

function simulateRun(input: RunInput) {
  const { about, target, round, startMs } = input;
  const run = runIdAt(new Date(startMs).toISOString(), round * 100 + Math.round(target.usd * 10));
  const samples: FixtureSample[] = [];
  let lastMs = startMs;
  for (let epoch = 1; epoch <= about.epochs; epoch++)
    for (let n = 0; n < about.samples; n++) {
      const sample = simulateSample(input, n, epoch);
      lastMs = Math.max(lastMs, Date.parse(sample.fields.completed_at ?? ''));
      samples.push(sample);
    }
  return { run, spec: specOf(input, run), header: headerOf(input, { run, samples, lastMs }), samples };
}

function specOf({ about, target, round, startMs }: RunInput, run: string) {
  const commit = (0x3f2a1c00 + round * 7919).toString(16).padEnd(40, '0');
  return fixtureSpec({
    eval_id: `e-${run}`,
    run_id: run,
    created: isoSeconds(startMs),
    task: about.name,
    task_id: `t-${about.name}`,
    dataset: { name: about.name, samples: about.samples },
    model: target.name,
    model_generate_config: { temperature: round % 2 === 0 ? 0 : 0.2 },
    config: { epochs: about.epochs, token_limit: 120_000 },
    revision: { type: 'git', origin: 'https://example.test/evals.git', commit },
    scorers: [{ name: scorerOf(about) }],
  });
}

function scorerOf({ kind }: SimulatedEval): string {
  return { coding: 'tests_pass', facts: 'includes', maths: 'exact', rubric: 'rubric' }[kind];
}

/** Every sample has a difficulty of its own, the same in every run; one in ten flips from run to run. */
function endOf({ about, target, round, random }: RunInput, n: number): SimulatedEnd {
  const difficulty = ((n * 7919) % 100) / 100 - 0.5;
  const isFlaky = n % 10 === 4;
  const drift = round % 9 === 2 && n % 8 === 1 ? -0.5 : (round % 3) * 0.02;
  const luck = (random.next() - 0.5) * (isFlaky ? 1 : 0.18);
  const level = about.skill + target.skill + drift - difficulty * 0.7 + luck;
  const passed = level > 0.5;
  return {
    passed,
    number: Math.min(1, Math.max(0, Math.round(level * 20) / 20)),
    error: random.next() < 0.012 ? 'Connection to the sandbox was lost.' : undefined,
    limit: !passed && about.kind === 'coding' && n % 6 === 0,
    turns: about.kind === 'coding' ? 3 + ((n * 5 + round) % 9) : 1 + (n % 2),
  };
}

function simulateSample(input: RunInput, n: number, epoch: number): FixtureSample {
  const { about, target, startMs } = input;
  const row = rowOf(about, n);
  const end = endOf(input, n);
  const usdPerTurn = about.usdPerTurn * target.usd;
  const begunMs = startMs + (n % 8) * 700 + Math.floor(n / 8) * 21_000 + (epoch - 1) * 9_000;
  const told = transcriptOf({ about, row, model: target.name, usdPerTurn, startMs: begunMs, end });
  const scores = end.error === undefined ? scoresFor(about, end) : undefined;
  const fields: Partial<SampleFields> = {
    epoch,
    uuid: `${row.id}-${epoch}`,
    input: row.input,
    target: row.target,
    metadata: row.metadata,
    messages: told.messages,
    output: {
      model: target.name,
      choices: [{ message: { role: 'assistant', content: told.output }, stop_reason: 'stop' }],
      completion: told.output,
    },
    model_usage: { [target.name]: told.usage },
    started_at: isoTime(begunMs),
    completed_at: isoTime(told.endMs),
    total_time: (told.endMs - begunMs) / 1_000,
    working_time: ((told.endMs - begunMs) / 1_000) * 0.9,
    turn_count: end.turns + 1,
    ...(scores ? { scores } : { scores: {} }),
    ...(end.error !== undefined && {
      error: { message: end.error, traceback: `Error: ${end.error}`, traceback_ansi: '' },
    }),
    ...(end.limit && { limit: { type: 'token', limit: 120_000 } }),
  };
  const scored = Object.entries(scores ?? {}).map(([scorer, score]) => ({
    event: 'score',
    scorer,
    score,
    uuid: `ev-score-${scorer}`,
    timestamp: isoTime(told.endMs),
    working_start: 0,
  }));
  return { fields: fixtureFields(row.id, fields), events: [...told.events, ...scored] };
}

function scoresFor(about: SimulatedEval, { passed, number }: SimulatedEnd): SampleFields['scores'] {
  if (about.kind === 'rubric')
    return {
      rubric: {
        value: number,
        explanation: 'Polite and names the refund; the queue is right, but no date is given.',
      },
      queue: { value: passed ? 'C' : 'I', answer: passed ? 'billing' : 'sales' },
    };
  return {
    [scorerOf(about)]: {
      value: passed ? 'C' : 'I',
      answer: passed ? 'as expected' : 'something else',
      explanation: passed
        ? 'The answer is the expected one.'
        : '2 of 5 tests failed: `test_second_argument`, `test_default`.',
    },
  };
}

interface Made {
  readonly run: string;
  readonly samples: readonly FixtureSample[];
  readonly lastMs: number;
}

function headerOf(input: RunInput, made: Made): Partial<LogHeader> {
  const { about, target, startMs, round } = input;
  const { samples, lastMs } = made;
  const usages = samples.flatMap(({ fields }) => Object.values(fields.model_usage));
  const sum = (pick: (usage: (typeof usages)[number]) => number | undefined) =>
    usages.reduce((total, usage) => total + (pick(usage) ?? 0), 0);
  return {
    eval: specOf(input, made.run),
    status: 'success',
    plan: {
      name: 'plan',
      steps: [{ solver: 'agent', params: { prompt: round === 0 ? 'v1' : 'v2' } }],
      config: {},
    },
    results: resultsOf(about, samples),
    stats: {
      started_at: isoSeconds(startMs),
      completed_at: isoSeconds(lastMs),
      model_usage: {
        [target.name]: {
          input_tokens: sum((usage) => usage.input_tokens),
          output_tokens: sum((usage) => usage.output_tokens),
          total_tokens: sum((usage) => usage.total_tokens),
          total_cost: sum((usage) => usage.total_cost),
        },
      },
      role_usage: {},
      connection_limit_history: [],
    },
    tags: round === 0 ? ['baseline'] : target.skill > 0.1 ? ['ci', 'nightly'] : ['ci'],
  };
}

function resultsOf(about: SimulatedEval, samples: readonly FixtureSample[]): EvalResults {
  const names = about.kind === 'rubric' ? ['rubric', 'queue'] : [scorerOf(about)];
  const completed = samples.filter(({ fields }) => fields.error === undefined);
  const scores = names.map((name) => {
    const values = completed
      .map(({ fields }) => fields.scores?.[name]?.value)
      .map((value) => (value === 'C' ? 1 : typeof value === 'number' ? value : 0));
    const mean = values.reduce((total, value) => total + value, 0) / Math.max(1, values.length);
    const metric = name === 'rubric' ? 'mean' : 'accuracy';
    return {
      name,
      scorer: name,
      scored_samples: values.length,
      unscored_samples: samples.length - values.length,
      params: {},
      metrics: { [metric]: { name: metric, value: mean, params: {} } },
    };
  });
  return { total_samples: samples.length, completed_samples: completed.length, scores };
}
