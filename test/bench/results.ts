import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRunId } from '../../src/base/index.ts';
import { RESULTS_REF } from '../../src/results/layout.ts';
import { GIT_ENV, git, openResults, type ResultsRepo, runIdAt, writeRun } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, MB, median, rounded } from './bench.ts';
import { measureProcess } from './measure-process.ts';
import { buildPublished, LAUNCHER } from './published.ts';
import { makeStore } from './results-store.ts';

const SIZES = [1_000, 10_000, 100_000];
const TRIES = 7;

/** A page of fifty out of ever more runs, cold and warm, beside what git itself takes for the same. */
export const resultsList: Bench = {
  name: 'results',
  about: 'listing, publishing and memory of a store of 1,000 to 100,000 runs, beside git itself',
  async run({ scale }) {
    buildPublished();
    await using dir = await makeTempDir();
    const findings: Finding[] = [];
    const cold: number[] = [];
    for (const size of SIZES) {
      const runs = Math.max(100, Math.round(size * scale));
      const repo = join(dir.path, `store-${runs}.git`);
      await makeStore(repo, runs);
      const [listed, ms] = await listStore(repo, runs);
      findings.push(...listed);
      cold.push(ms);
      if (size === 10_000) findings.push(await publishInto(repo, dir.path));
    }
    findings.push(
      atMost({
        what: 'time of a cold list at the largest store over the smallest',
        measured: (cold.at(-1) ?? 0) / (cold[0] ?? 1),
        limit: 2,
      }),
    );
    findings.push(await manyPublications(dir.path, Math.max(100, Math.round(5_000 * scale))));
    return findings;
  },
};

async function listStore(repo: string, runs: number): Promise<[readonly Finding[], number]> {
  const cold: number[] = [];
  const bare: number[] = [];
  let peakBytes = 0;
  for (let n = 0; n < TRIES; n++) {
    bare.push(timed(() => listWithGit(repo)));
    const run = await measureProcess(process.execPath, [
      LAUNCHER,
      'results',
      'list',
      '--repo',
      repo,
      '--json',
    ]);
    if (run.exitCode !== 0) throw new Error(run.stderr);
    cold.push(run.ms);
    peakBytes = Math.max(peakBytes, run.peakBytes);
  }
  const warm = await warmList(repo);
  const [coldMs, gitMs] = [median(cold), median(bare)];
  const findings = [
    atMost({
      what: `cold list of 50 of ${runs}, over git ls-tree and 50 cat-file`,
      measured: coldMs / gitMs,
      limit: 2,
      figures: { runs, coldMs, gitMs },
    }),
    atMost({
      what: `warm list of 50 of ${runs}, in ms`,
      measured: warm,
      limit: 10,
      figures: { runs, warmMs: warm },
    }),
    atMost({
      what: `memory of a list of ${runs}, in MB`,
      measured: peakBytes / MB,
      limit: 300,
      figures: { runs, peakBytes },
    }),
  ];
  return [findings, coldMs];
}

async function warmList(repo: string): Promise<number> {
  await using results = await openResults(repo);
  const times: number[] = [];
  for (let n = 0; n < 20; n++) {
    const from = performance.now();
    await results.store.list({ limit: 50 });
    times.push(performance.now() - from);
  }
  return median(times);
}

/** What a script would do: find the newest days, then read fifty rows. */
function listWithGit(repo: string): void {
  const days = git(repo, 'ls-tree', '--name-only', RESULTS_REF, 'runs/').split('\n').toReversed();
  let left = 50;
  for (const day of days) {
    for (const run of git(repo, 'ls-tree', '--name-only', RESULTS_REF, `${day}/`).split('\n').toReversed()) {
      // Those of a busy day that lie deeper are passed over: fifty there are in any case.
      if (!isRunId(run.slice(run.lastIndexOf('/') + 1))) continue;
      git(repo, 'cat-file', 'blob', `${RESULTS_REF}:${run}/run.json`);
      if (--left === 0) return;
    }
  }
}

/** Publishing a run of two samples, beside one `git fast-import` of the same bytes. */
async function publishInto(repo: string, dir: string): Promise<Finding> {
  await using results = await openResults(repo);
  const logs = join(dir, 'logs');
  mkdirSync(logs);
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let n = 0; n < 15; n++) {
    const run = runIdAt('2026-10-31T00:00:00Z', n);
    const path = await writeRun(logs, run);
    const from = performance.now();
    await results.publish(path);
    ours.push(performance.now() - from);
    bare.push(importAgain(repo, { run, other: runIdAt('2026-10-31T00:00:01Z', n + 100_000) }));
  }
  const [oursMs, bareMs] = [median(ours), median(bare)];
  const trace = join(dir, 'trace');
  const path = await writeRun(logs, runIdAt('2026-10-31T12:00:00Z', 99));
  execFileSync(process.execPath, [LAUNCHER, 'results', 'publish', path, '--repo', repo], {
    env: { ...process.env, GIT_TRACE2_EVENT: trace },
  });
  const processes = execFileSync('grep', ['-c', '"event":"start"', trace], { encoding: 'utf8' }).trim();
  const figures = { oursMs, bareMs, gitProcesses: Number(processes) };
  return atMost({
    what: `publishing over one git fast-import of the same bytes (${processes} git processes in all, at most 4)`,
    measured: oursMs / bareMs,
    limit: 1.5,
    figures,
  });
}

/**
 * As many bytes as the last publication, at the same place under another run's name, with the same care for the disk. Every document is a
 * little different: git would not write what it has already.
 */
function importAgain(repo: string, { run, other }: { readonly run: string; readonly other: string }): number {
  const changed = git(repo, 'diff-tree', '-r', '--no-commit-id', RESULTS_REF).split('\n');
  const files = changed.map((line) => {
    const [, , , id = '', rest = ''] = line.split(' ');
    const path = rest.slice(rest.indexOf('\t') + 1).replace(run, other);
    const bytes = execFileSync('git', ['-C', repo, 'cat-file', 'blob', id], { env: GIT_ENV });
    bytes.write(other.slice(-6), Math.max(0, bytes.length - 6));
    return `M 100644 inline ${path}\ndata ${bytes.length}\n${bytes.toString('utf8')}\n`;
  });
  const stream = `commit refs/heads/again\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom ${RESULTS_REF}^0\n${files.join('')}`;
  const args = [
    '-C',
    repo,
    '-c',
    'core.fsync=all',
    '-c',
    'fastimport.unpackLimit=1',
    'fast-import',
    '--quiet',
    '--force',
  ];
  return timed(() => execFileSync('git', args, { input: stream, env: GIT_ENV }));
}

/** One publication after the other, with the upkeep that the command line starts by itself; beside the same store, freshly packed. */
async function manyPublications(dir: string, count: number): Promise<Finding> {
  const repo = join(dir, 'one-by-one.git');
  git(dir, 'init', '--quiet', '--bare', repo);
  const logs = join(dir, 'many-logs');
  mkdirSync(logs);
  await using results = await openResults(repo);
  for (let n = 0; n < count; n++) {
    await results.publish(await writeRun(logs, runIdAt('2026-09-01T00:00:00Z', n)));
    if (n % 10 === 9 && (await results.store.needsUpkeep())) await results.store.keepUp();
  }
  const grown = await listAndPublish(repo, results, { logs, from: count });
  const packed = join(dir, 'packed.git');
  cpSync(repo, packed, { recursive: true });
  git(packed, 'repack', '-a', '-d', '-q');
  await using other = await openResults(packed);
  const fresh = await listAndPublish(packed, other, { logs, from: count + 1_000 });
  const packs = readdirSync(join(repo, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;
  const measured = Math.max(grown.listMs / fresh.listMs, grown.publishMs / fresh.publishMs);
  writeFileSync(join(dir, 'done'), '');
  return atMost({
    what: `list and publish after ${count} publications, over a freshly packed store (the worse of both)`,
    measured,
    limit: 1.5,
    figures: { count, grown, fresh, packs },
  });
}

async function listAndPublish(
  repo: string,
  results: ResultsRepo,
  { logs, from }: { readonly logs: string; readonly from: number },
): Promise<{ readonly listMs: number; readonly publishMs: number }> {
  const publish: number[] = [];
  for (let n = 0; n < 15; n++) {
    const path = await writeRun(logs, runIdAt('2026-09-01T00:00:00Z', from + n));
    const start = performance.now();
    await results.publish(path);
    publish.push(performance.now() - start);
  }
  return { listMs: await warmList(repo), publishMs: median(publish) };
}

function timed(work: () => unknown): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

function atMost(about: {
  readonly what: string;
  readonly measured: number;
  readonly limit: number;
  readonly figures?: Readonly<Record<string, unknown>>;
}): Finding {
  const { what, measured, limit, figures = {} } = about;
  const line = Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'number' ? rounded(value) : JSON.stringify(value)}`)
    .join(', ');
  return { what, measured, atMost: limit, line, figures };
}
