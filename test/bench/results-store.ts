/** Stores of results of any size, made by one `git fast-import`, for benchmarks. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { digestOf, type RunId } from '../../src/base/index.ts';
import { RESULTS_REF, runPath } from '../../src/results/layout.ts';
import { GIT_ENV, initRepository } from '../sim/results-repo.ts';

const FIRST_DAY_MS = Date.UTC(2025, 10, 1);
const DAYS = 365;

/** Runs spread evenly over a year, each with a row and five documents, as two samples have. */
export async function makeStore(dir: string, runs: number): Promise<void> {
  initRepository(dir, '--bare');
  const git = spawn('git', ['-C', dir, 'fast-import', '--quiet'], {
    env: GIT_ENV,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const write = async (text: string) => {
    if (!git.stdin.write(text)) await once(git.stdin, 'drain');
  };
  const format = '{"format":"holdfast-results","version":1}\n';
  await write(
    `commit ${RESULTS_REF}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nM 100644 inline format.json\ndata ${format.length}\n${format}\n`,
  );
  const perDay = new Map<string, number>();
  for (let n = 0; n < runs; n++) {
    const run = runOf(n, runs);
    const beside = perDay.get(run.slice(0, 8)) ?? 0;
    perDay.set(run.slice(0, 8), beside + 1);
    await write(filesOf(run, runPath(run, { runsBeside: beside }), n));
  }
  git.stdin.end('\n');
  await once(git, 'close');
  execFileSync('git', ['-C', dir, 'commit-graph', 'write', '--reachable'], { env: GIT_ENV });
}

function runOf(n: number, runs: number): RunId {
  const ms = FIRST_DAY_MS + Math.floor((n * DAYS * 86_400_000) / runs);
  const time = new Date(ms).toISOString().replace(/[-:.Z]/g, '');
  return `${time}-${n.toString(36).padStart(10, '0')}` as RunId;
}

function filesOf(run: RunId, path: string, n: number): string {
  const row = JSON.stringify(rowOf(run, n));
  const documents = [
    'header.json',
    'summaries.json',
    '_journal/start.json',
    'samples/1_epoch_1.json',
    'samples/2_epoch_1.json',
  ];
  const files = documents.map((name) => fileText(`${path}/log/${name}`, JSON.stringify({ run, name, n })));
  return fileText(`${path}/run.json`, row) + files.join('');
}

function fileText(path: string, text: string): string {
  return `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
}

function rowOf(run: RunId, n: number) {
  return {
    version: 1,
    run,
    revision: 1,
    eval: `eval-${n % 20}`,
    target: 'openai/gpt-5',
    tags: [],
    status: 'success',
    samples: { total: 2, completed: 2, errored: 0, passed: 1 },
    passRate: 0.5,
    scores: [{ scorer: 'includes', name: 'includes', metric: 'accuracy', value: 0.5, low: 0.1, high: 0.9 }],
    tokens: { input: 100, output: 20, total: 120 },
    usd: 0.01,
    start: '2026-01-01T00:00:00+00:00',
    end: '2026-01-01T00:00:10+00:00',
    durationMs: 10_000,
    by: { user: 'ada', host: 'here' },
    log: { name: `${run}.eval`, digest: digestOf(run), sizeBytes: 400, documents: 5, isFanned: false },
  };
}
