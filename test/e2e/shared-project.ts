/** A project in git, a bucket, a queue and workers: shared runs as people have them, on one machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeTempDir } from '../sim/temp-dir.ts';
import { HOLD, hold, letGo } from './hold.ts';
import { type Ended, holdfast, type Started, startHoldfast } from './holdfast.ts';

export interface SharedProjectOptions {
  readonly samples: number;
  readonly queue: string;
  /** A folder in the temporary one, unless another is named. */
  readonly bucket?: string;
  /** More lines of the eval. */
  readonly more?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Two recorded calls a sample; whoever sells one writes down which process asked. `POISON` names an input that kills whoever has it. */
const evalText = ({ samples, more = '' }: SharedProjectOptions) => `
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, includes } from 'holdfast';
${HOLD}
const buy = (record, what) => record('ask', { what }, async () => {
  await sleep(Number(process.env.LATENCY ?? 10));
  await untilLetGo(process.env.LEDGER);
  appendFileSync(process.env.LEDGER, process.pid + ' ' + what + '\\n');
  return 'heard ' + what;
});
export default defineEval({
  name: 'shared',
  data: Array.from({ length: ${samples} }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  target: async ({ input }, { record }) => {
    await buy(record, input + ' first');
    if (input === process.env.POISON) process.kill(process.pid, 'SIGKILL');
    if (input === process.env.THROWS) throw new Error('the target broke');
    return buy(record, input + ' second');
  },
  scorers: [includes()],
  prices: { 'record/ask': { call: 0.01 } },
  ${more}
});
`;

export async function sharedProject(options: SharedProjectOptions) {
  const dir = await makeTempDir();
  const project = join(dir.path, 'project');
  const ledger = join(dir.path, 'ledger');
  const bucket = options.bucket ?? join(dir.path, 'bucket');
  await mkdir(project);
  // Workers make no bucket.
  if (!bucket.includes('://')) await mkdir(bucket, { recursive: true });
  writeFileSync(ledger, '');
  writeFileSync(join(project, 'shared.eval.ts'), evalText(options));
  writeFileSync(join(project, '.gitignore'), 'logs/\n.holdfast/\n');
  git(project, 'init', '-q', '-b', 'main');
  commitAll(project);
  const env = { ...options.env, LEDGER: ledger, HOLDFAST_QUEUE: options.queue, HOLDFAST_BUCKET: bucket };
  const workers: Started[] = [];
  let homes = 0;
  const lines = () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
  return {
    path: project,
    bucket,
    env,
    bought: () => lines().map((line) => line.slice(line.indexOf(' ') + 1)),
    pids: () => new Set(lines().map((line) => Number.parseInt(line, 10))),
    /** Lets no more than so many answers be bought, until they are let go: a run that has more to buy cannot end. */
    hold: (answers: number) => hold(ledger, answers),
    letGo: () => letGo(ledger),
    holdfast: (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> =>
      holdfast(project, args, { ...env, ...more }),
    start: (args: readonly string[], more: Readonly<Record<string, string>> = {}): Started =>
      startHoldfast(project, args, { ...env, ...more }),
    /** In a folder of its own: it has nothing but the queue and the bucket. */
    async worker(
      args: readonly string[] = [],
      more: Readonly<Record<string, string>> = {},
      prefix: readonly string[] = [],
    ): Promise<Started> {
      const home = join(dir.path, `worker-${homes++}`);
      await mkdir(home);
      const words = ['worker', '--dir', home, '--slots', '2', ...args];
      const worker = startHoldfast(home, words, { ...env, ...more }, prefix);
      workers.push(worker);
      await worker.said('slots');
      return worker;
    },
    async [Symbol.asyncDispose]() {
      // Told, not killed: what they started ends with them.
      for (const { child } of workers) child.kill('SIGTERM');
      const kill = setTimeout(() => {
        for (const { child } of workers) child.kill('SIGKILL');
      }, 60_000);
      await Promise.all(workers.map(({ ended }) => ended));
      clearTimeout(kill);
      await dir[Symbol.asyncDispose]();
    },
  };
}

export type SharedProject = Awaited<ReturnType<typeof sharedProject>>;

/** Another eval in place of the one that it began with. */
export function writeEval({ path }: Pick<SharedProject, 'path'>, text: string): void {
  writeFileSync(join(path, 'shared.eval.ts'), text);
}

export function commitAll(project: string): void {
  git(project, 'add', '-A');
  git(project, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'evals');
}

export function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', [...args], { cwd, stdio: 'ignore' });
}

/** All answers that a whole run buys. */
export function allAnswers(samples: number): string[] {
  return Array.from({ length: samples }, (_, index) => [`q${index} first`, `q${index} second`])
    .flat()
    .sort();
}

export function untilBought(project: SharedProject, count: number): Promise<void> {
  return until(() => project.bought().length >= count, `${count} answers to be bought`);
}

/** Until so many objects are in the bucket, which is a directory, whose names end so: `.begun` and `.ended` for leases. */
export function untilStored(project: SharedProject, ending: string, count: number): Promise<void> {
  const stored = () =>
    existsSync(project.bucket)
      ? readdirSync(project.bucket, { recursive: true, encoding: 'utf8' }).filter((name) =>
          name.endsWith(ending),
        )
      : [];
  return until(() => stored().length >= count, `${count} objects ${ending} to be stored`);
}

export function untilGone(pids: Iterable<number>): Promise<void> {
  return until(() => ![...pids].some(isAlive), 'all processes to end');
}

/** For as long as a test may take on a slow machine; then it says what it waited for. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + 150_000; !(await isSo()); await sleep(20))
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: there is no such process.
  }
}
