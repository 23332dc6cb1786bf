/** Real worker processes of the published program, a real Redis and a directory as the bucket: what shared runs are measured on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBucket } from '../../src/bucket/index.ts';
import { SHARED_PREFIX, SharedRun } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { commitAll, git } from '../e2e/shared-project.ts';
import { endWithUs } from '../sim/end-with-us.ts';
import { redisObstacle, startRedis } from '../sim/redis-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { buildPublished, holdfast, LAUNCHER } from './published.ts';

export interface BenchProject {
  readonly samples: number;
  readonly waitMs: number;
}

/** One lease of one sample: who had it, from when to when, by the clock of this machine. */
export interface Turn {
  readonly job: string;
  readonly worker: string;
  readonly n: number;
  readonly begunMs: number;
  readonly endedMs: number | undefined;
}

export async function sharedWorkers({ samples, waitMs }: BenchProject) {
  if (redisObstacle !== undefined) throw new Error(`This needs Redis: ${redisObstacle}.`);
  buildPublished();
  const dir = await makeTempDir();
  const redis = await startRedis();
  const project = join(dir.path, 'project');
  const bucketDir = join(dir.path, 'bucket');
  mkdirSync(project);
  // Only who submits makes it, and workers come first here.
  mkdirSync(bucketDir);
  writeFileSync(join(project, 'waits.eval.js'), evalSource(samples, waitMs));
  git(project, 'init', '-q', '-b', 'main');
  commitAll(project);
  const place = { bucket: await openBucket(bucketDir, { disk: nodeDisk }), prefix: SHARED_PREFIX };
  const env = { HOLDFAST_QUEUE: redis.url, HOLDFAST_BUCKET: bucketDir };
  const workers: ChildProcess[] = [];
  return {
    env,
    /** Resolves when it serves the queue. */
    async start(slots: number): Promise<ChildProcess> {
      const home = join(dir.path, `worker-${workers.length}`);
      mkdirSync(home);
      const args = [LAUNCHER, 'worker', '--dir', home, '--slots', String(slots)];
      const child = spawn(process.execPath, args, {
        ...{ cwd: home, env: { ...process.env, ...env } },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      endWithUs(child);
      workers.push(child);
      const [said]: unknown[] = await once(child.stderr, 'data');
      if (!String(said).includes('slots')) throw new Error(`A worker does not serve the queue: ${said}`);
      child.stderr.resume();
      return child;
    },
    /** All samples, or the first of them. */
    async submit(limit: number = samples): Promise<SharedRun> {
      const args = ['submit', 'waits.eval.js', '--limit', String(limit), '--detach', '--fresh', '--json'];
      const { stdout } = await holdfast(args, env, project);
      const { run } = (JSON.parse(stdout) as { readonly runs: readonly [{ readonly run: string }] }).runs[0];
      const shared = await SharedRun.open(place, run);
      if (!shared) throw new Error(`${run} is not in the bucket.`);
      return shared;
    },
    /** Told, not killed: what they started ends with them. */
    async stop(): Promise<void> {
      const running = workers.filter((child) => child.exitCode === null && child.signalCode === null);
      const ends = running.map((child) => once(child, 'exit'));
      for (const child of running) child.kill('SIGTERM');
      await Promise.all(ends);
    },
    async [Symbol.asyncDispose]() {
      await this.stop();
      await redis[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

const LOOK_MS = 500;
const PATIENCE_MS = 600_000;

/** Looks rarely: whoever looks reads the same disk. */
export async function untilComplete(shared: SharedRun): Promise<void> {
  for (const until = Date.now() + PATIENCE_MS; !shared.isComplete; await sleep(LOOK_MS)) {
    if (Date.now() > until) throw new Error(`${shared.run} is not complete after ${PATIENCE_MS / 1_000} s.`);
    await shared.refresh();
  }
}

/** What leases say, the first begun first. */
export function turnsOf(shared: SharedRun): readonly Turn[] {
  const turns: Turn[] = [];
  for (const job of shared.jobs())
    for (const { begun, ended } of shared.leasesOf(job))
      turns.push({
        ...{ job, worker: begun.worker, n: begun.n, begunMs: Date.parse(begun.at) },
        endedMs: ended && Date.parse(ended.at),
      });
  return turns.sort((a, b) => a.begunMs - b.begunMs);
}

export interface Pace {
  /** Samples that ended while all worked, and how long that was. */
  readonly samples: number;
  readonly ms: number;
  readonly workers: number;
}

/**
 * How fast samples end while every worker works: from when the last of them has ended its first sample (all have their code by then)
 * until the last sample is begun (from then on slots are empty).
 */
export function paceOf(turns: readonly Turn[]): Pace {
  const firsts = new Map<string, number>();
  for (const { worker, endedMs = Number.POSITIVE_INFINITY } of turns)
    firsts.set(worker, Math.min(firsts.get(worker) ?? Number.POSITIVE_INFINITY, endedMs));
  const from = Math.max(...firsts.values());
  const to = Math.max(...turns.map(({ begunMs }) => begunMs));
  const inside = turns.filter(({ endedMs = Number.POSITIVE_INFINITY }) => endedMs > from && endedMs <= to);
  if (inside.length === 0)
    throw new Error('There are too few samples: some worker began when all were taken.');
  return { samples: inside.length, ms: to - from, workers: firsts.size };
}

function evalSource(samples: number, waitMs: number): string {
  return `import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, exact } from 'holdfast';
export default defineEval({
  name: 'waits',
  data: Array.from({ length: ${samples} }, (_, n) => ({ id: n + 1, input: 'Say ' + n, target: String(n) })),
  target: async ({ input }) => {
    if (${waitMs} > 0) await sleep(${waitMs});
    return input.slice(4);
  },
  scorers: [exact()],
});
`;
}
