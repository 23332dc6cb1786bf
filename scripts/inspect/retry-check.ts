// Kills second attempts of Inspect, by eval-retry and by eval-set, and recovers each with both tools.

import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, run } from './environment.ts';
import { missingFrom, reportLog, unequalNumbers } from './log-report.ts';
import { openWorkplace, runPython, type Workplace } from './workplace.ts';

const HOLDFAST = join(dirname(fileURLToPath(import.meta.url)), '../../bin/holdfast.js');

/** Lines of the ledger at which a second attempt dies; without one it dies when all is quiet. */
const LINES_MAX = 120;

/** The ledger of an eval set has the lines of both attempts, and a kill in the first one is no retry. */
const KINDS = [
  { words: ['eval-retry'], isAnywhere: false },
  { words: ['eval-retry', '--buffer', '1'], isAnywhere: true },
  { words: ['eval-set', '--buffer', '2', '--shared', '1'], isAnywhere: false },
] as const;

/** What a step of the interop check needs and gives. */
export interface RetryContext {
  readonly dir: string;
  readonly environment: Environment;
  readonly random: () => number;
}

export async function recoverRetries(
  context: RetryContext,
): Promise<{ readonly checked: string; readonly problems: readonly string[] }> {
  const problems: string[] = [];
  for (const [index, { words, isAnywhere }] of KINDS.entries()) {
    const line = Math.ceil(context.random() * LINES_MAX);
    const all = isAnywhere ? [...words, '--kill-at-line', String(line)] : words;
    const place = await openWorkplace(join(context.dir, `again-${index}`), context.environment);
    const found = await crashAndRecover(place, all);
    problems.push(...found.map((problem) => `${all.join(' ')}: ${problem}`));
  }
  return { checked: `${KINDS.length} second attempts killed and recovered`, problems };
}

async function crashAndRecover(place: Workplace, words: readonly string[]): Promise<readonly string[]> {
  const args = ['run_again.py', ...words, '--log-dir', place.logDir, '--ledger', place.ledger];
  const crashed = await runPython(place, args);
  if (crashed.signal !== 'SIGKILL') return [`ended with ${crashed.exitCode}: ${crashed.stderr.slice(-500)}`];
  const logs = (await readdir(place.logDir)).filter((name) => name.endsWith('.eval')).sort();
  const log = logs.at(-1);
  if (log === undefined || logs.length < 2) return []; // killed before its log had a first byte

  const theirs = join(place.root, 'theirs', log);
  const ours = join(place.root, 'ours', log);
  for (const path of [theirs, ours]) await mkdir(dirname(path), { recursive: true });
  const inspect = ['-m', 'inspect_ai', 'log', 'recover', join(place.logDir, log), '--output', theirs];
  const byInspect = await runPython(place, [...inspect, '--no-cleanup']);
  if (byInspect.exitCode !== 0) return [`Inspect refuses: ${byInspect.stderr.slice(-300)}`];
  // Ours may let the buffers go: that it does so is part of the promise.
  const holdfast = [HOLDFAST, 'recover', join(place.logDir, log), '--output', ours, '--force-dead', '--json'];
  const byHoldfast = await run(process.execPath, holdfast, {
    env: { ...process.env, XDG_DATA_HOME: place.dataDir },
  });
  if (byHoldfast.exitCode !== 0 && byHoldfast.exitCode !== 3)
    return [`holdfast recover ended with ${byHoldfast.exitCode}: ${byHoldfast.stderr.trim()}`];
  const [mine, their] = [await reportLog(place, ours), await reportLog(place, theirs)];
  const { left }: { readonly left: readonly string[] } = JSON.parse(byHoldfast.stdout);
  return [
    ...mine.problems,
    ...missingFrom(mine, their),
    ...unequalNumbers(mine, their),
    ...left.map((source) => `${source} was left`),
  ];
}
