import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { digestOf, seededRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { fixtureFields, writeFixtureLog } from '../sim/log-fixture.ts';
import { runIdAt } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, MB, median, rounded } from './bench.ts';
import { holdfast } from './published.ts';

const SAMPLES = 10_000;
const TIMES = 5;
const LIMIT_MS = 1_000;

/** How long one waits for an answer, from the start of the process to its end: of two logs, and of two published runs. */
export const compare: Bench = {
  name: 'compare',
  about: 'two runs of 10,000 samples compared, as logs and from git',
  async run({ scale }) {
    const samples = Math.round(SAMPLES * scale);
    await using dir = await makeTempDir();
    const runs = [1, 2].map((day) => runIdAt(`2026-01-0${day}T00:00:00Z`, day));
    const logs: string[] = [];
    for (const [seed, run] of runs.entries()) logs.push(await writeRun(dir.path, { run, seed, samples }));
    const repo = join(dir.path, 'repo');
    execFileSync('git', ['init', '--quiet', repo]);
    await holdfast(['results', 'init', '--repo', repo]);
    await holdfast(['results', 'publish', ...logs, '--repo', repo]);
    return [
      await measure('logs', logs, samples),
      await measure('published runs', [...runs, '--repo', repo], samples),
    ];
  },
};

async function measure(what: string, args: readonly string[], samples: number): Promise<Finding> {
  const found = [];
  for (let time = 0; time < TIMES; time++) found.push(await holdfast(['compare', ...args, '--json']));
  const ms = found.map((one) => one.ms);
  const cpuMs = median(found.map((one) => one.cpuMs));
  const peakMb = Math.max(...found.map((one) => one.peakBytes)) / MB;
  return {
    what: `ms to compare two ${what}`,
    line: `${samples} samples each: median ${rounded(median(ms), 0)} ms of ${ms.map((one) => rounded(one, 0)).join(', ')}; processor ${rounded(cpuMs, 0)} ms, ${rounded(peakMb, 0)} MB`,
    measured: median(ms),
    atMost: LIMIT_MS,
    figures: { samples, ms, cpuMs, peakMb },
  };
}

interface BenchRun {
  readonly run: string;
  readonly seed: number;
  readonly samples: number;
}

/** Rows as a model's run has them: a question, an answer with an explanation, usage, marks. */
function writeRun(dir: string, { run, seed, samples }: BenchRun): Promise<string> {
  const random = seededRandom(seed);
  const mark = { key: digestOf(run), asked: digestOf('asked'), content: digestOf('content') };
  const usage = { input_tokens: 400, output_tokens: 120, total_tokens: 520, total_cost: 0.0021 };
  return writeFixtureLog(nodeDisk, join(dir, `${run}.eval`), {
    spec: { run_id: run, task: 'bench', scorers: [{ name: 'exact' }] },
    samples: Array.from({ length: samples }, (_, index) => ({
      fields: fixtureFields(`question-${index}`, {
        input: `Question ${index}: ${'what is it that one asks here? '.repeat(8)}`,
        scores: {
          exact: {
            value: random.next() < 0.6 ? 'C' : 'I',
            answer: 'an answer',
            explanation: 'because. '.repeat(12),
          },
        },
        metadata: { holdfast: mark },
        model_usage: { 'mock/m': usage },
        total_time: 1 + random.next(),
      }),
      events: [],
    })),
  });
}
