// Runs of workers over a queue and a bucket, as they come home: also of one that lost the process of its code.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redisObstacle, startRedis } from '../../test/sim/redis-server.ts';
import { type Finished, run } from './environment.ts';
import type { FeatureLogs } from './feature-logs.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const EVALS = join(ROOT, 'scripts/inspect/evals');
const HOLDFAST = join(ROOT, 'bin/holdfast.js');
const NAMES = ['everything', 'mortal'] as const;
/** With evals that fail as planned, and scores that are poor. */
const FINE = new Set([0, 1, 5]);

/** Submits every eval and brings it home; a sentence where there is no Redis. */
export async function makeSharedLogs(dir: string): Promise<FeatureLogs | string> {
  if (redisObstacle !== undefined) return redisObstacle;
  await using redis = await startRedis();
  const project = join(dir, 'project');
  const logDir = join(dir, 'home');
  await makeProject(project);
  // Workers make no bucket: one that is not there may be a share that is not mounted.
  await mkdir(join(dir, 'bucket'));
  const env = {
    ...process.env,
    ...{ HOLDFAST_QUEUE: redis.url, HOLDFAST_BUCKET: join(dir, 'bucket'), MORTAL_MARK: join(dir, 'died') },
  };
  const workers = [1, 2].map((n) => startWorker(join(dir, `worker-${n}`), env));
  try {
    const problems: string[] = [];
    for (const name of NAMES) {
      const args = ['submit', `${name}.eval.ts`, '--model', 'mock/echo', '--log-dir', logDir, '--quiet'];
      const ended = await run(process.execPath, [HOLDFAST, ...args], { env, cwd: project });
      if (!FINE.has(ended.exitCode ?? -1)) problems.push(`shared: submit of ${name} ${said(ended)}`);
    }
    const names = (await readdir(logDir).catch(() => [])).filter((name) => name.endsWith('.eval'));
    if (names.length < NAMES.length)
      problems.push(`shared: ${names.length} of ${NAMES.length} logs came home`);
    return { logs: names.sort().map((name) => join(logDir, name)), problems };
  } finally {
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all(workers.map((worker) => worker.exitCode ?? once(worker, 'exit')));
  }
}

/** In git and with a lock file: what workers install. */
async function makeProject(project: string): Promise<void> {
  await mkdir(project, { recursive: true });
  for (const name of NAMES) await copyFile(join(EVALS, `${name}.eval.ts`), join(project, `${name}.eval.ts`));
  const { version } = createRequire(import.meta.url)('zod/package.json') as { readonly version: string };
  await writeFile(
    join(project, 'package.json'),
    JSON.stringify({ name: 'shared', private: true, type: 'module', dependencies: { zod: version } }),
  );
  await writeFile(join(project, '.gitignore'), 'node_modules/\n.holdfast/\n');
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
  for (const [program, ...args] of [
    ['npm', 'install', '--no-audit', '--no-fund'],
    ['git', 'init', '--quiet'],
    ['git', 'add', '-A'],
    ['git', ...who, 'commit', '--quiet', '-m', 'evals'],
  ]) {
    const ended = await run(program ?? '', args, { env: process.env, cwd: project });
    if (ended.exitCode !== 0) throw new Error(`${program} ${args[0]} ${said(ended)}`);
  }
}

function startWorker(dir: string, env: NodeJS.ProcessEnv): ChildProcess {
  const args = [HOLDFAST, 'worker', '--slots', '2', '--dir', dir];
  return spawn(process.execPath, args, { env, stdio: 'ignore' });
}

function said({ exitCode, signal, stderr }: Finished): string {
  return `ended with ${signal ?? exitCode}: ${stderr.trim().slice(-500)}`;
}
