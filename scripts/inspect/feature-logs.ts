// Runs of Holdfast that between them write everything that it can write into a log.

import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Finished, run } from './environment.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const EVALS = join(ROOT, 'scripts/inspect/evals');
const HOLDFAST = join(ROOT, 'bin/holdfast.js');
/** Dear, so that a limit of cost can be hit. */
const PRICES = { 'mock/chatty': { input: 1_000, output: 1_000 } };

interface Feature {
  readonly name: string;
  readonly commands: readonly Command[];
}

interface Command {
  readonly args: readonly string[];
  /** What else it is told, of the logs that are there by then. */
  readonly ofLogs?: (logs: readonly string[]) => readonly string[];
  /** Default: 0 or 1, which is what evals with poor scores end with. */
  readonly isKilled?: boolean;
}

const evalFile = (name: string) => join(EVALS, `${name}.eval.ts`);
const once = (name: string, ...more: string[]): Feature => ({
  name,
  commands: [{ args: ['run', evalFile(name), '--fresh', ...more] }],
});

const FEATURES: readonly Feature[] = [
  once('everything', '--model', 'mock/echo'),
  once('limits'),
  once('pressure'),
  once('pictures'),
  once('hostile'),
  once('others'),
  { name: 'workers', commands: [{ args: ['run', evalFile('hostile'), '--fresh', '--workers', '2'] }] },
  {
    name: 'scored',
    commands: [
      { args: ['run', evalFile('hostile')] },
      { args: ['score'], ofLogs: ([log = '']) => [log, '--eval', evalFile('hostile'), '--action', 'append'] },
    ],
  },
  {
    name: 'merged',
    commands: [
      { args: ['run', evalFile('hostile'), '--limit', '4'] },
      { args: ['run', evalFile('hostile'), '--fresh'] },
      {
        args: ['log', 'merge'],
        ofLogs: (logs) => [...logs, '-o', join(dirname(logs[0] ?? ''), 'merged.eval')],
      },
    ],
  },
  {
    name: 'converted',
    commands: [
      { args: ['run', evalFile('hostile')] },
      { args: ['log', 'convert'], ofLogs: ([log = '']) => [log, log.replace(/\.eval$/, '.json')] },
      {
        args: ['log', 'convert'],
        ofLogs: ([log = '']) => [log.replace(/\.eval$/, '.json'), log.replace(/\.eval$/, '-again.eval')],
      },
    ],
  },
  {
    name: 'reused',
    commands: [
      { args: ['run', evalFile('hostile'), '--limit', '4'] },
      { args: ['run', evalFile('hostile')] },
    ],
  },
  {
    name: 'replayed',
    commands: [{ args: ['run', evalFile('mortal')], isKilled: true }, { args: ['run', evalFile('mortal')] }],
  },
  {
    name: 'recovered',
    commands: [{ args: ['run', evalFile('mortal')], isKilled: true }, { args: ['recover'] }],
  },
  {
    name: 'set',
    commands: [
      {
        args: [
          'run',
          evalFile('pictures'),
          join(ROOT, 'examples/capitals.eval.ts'),
          '-m',
          'mock/echo',
          '-m',
          'mock/fixed:yes',
        ],
      },
    ],
  },
  {
    name: 'stopped',
    commands: [
      { args: ['run', evalFile('everything'), '--model', 'mock/echo', '--fail-on-error', '1'] },
      { args: ['recover'] },
    ],
  },
];

export interface FeatureLogs {
  readonly logs: readonly string[];
  readonly problems: readonly string[];
}

/** Runs every feature in a directory of its own. What ends otherwise than it should is a problem. */
export async function makeFeatureLogs(dir: string): Promise<FeatureLogs> {
  await mkdir(dir, { recursive: true });
  const prices = join(dir, 'prices.json');
  await writeFile(prices, JSON.stringify(PRICES));
  const logs: string[] = [];
  const problems: string[] = [];
  for (const { name, commands } of FEATURES) {
    const logDir = join(dir, name);
    for (const command of commands) {
      const finished = await runCommand(command, { logDir, prices });
      const problem = problemOf(command, finished);
      if (problem) problems.push(`${name}: holdfast ${command.args[0]} ${problem}`);
    }
    const found = await logsIn(logDir);
    if (found.length === 0) problems.push(`${name}: there is no log`);
    logs.push(...found);
  }
  const rebuilt = await publishAndRebuild(join(dir, 'published'), logs);
  return { logs: [...logs, ...rebuilt.logs], problems: [...problems, ...rebuilt.problems] };
}

/** The same logs once more, as they come back from git. */
async function publishAndRebuild(dir: string, logs: readonly string[]): Promise<FeatureLogs> {
  const out = join(dir, 'rebuilt');
  await mkdir(dir, { recursive: true });
  await run('git', ['init', '--quiet', dir], { env: process.env });
  const problems: string[] = [];
  for (const args of [
    ['results', 'init'],
    ['results', 'publish', ...logs],
    ['results', 'export', '--to', 'eval', '--out', out],
  ]) {
    const command = [HOLDFAST, ...args, '--repo', dir];
    const problem = problemOf({ args }, await run(process.execPath, command, { env: process.env }));
    if (problem) problems.push(`published: holdfast ${args[0]} ${args[1]} ${problem}`);
  }
  const found = (await readdir(out).catch(() => [])).filter((file) => file.endsWith('.eval'));
  if (found.length === 0) problems.push('published: there is no log');
  return { logs: found.map((file) => join(out, file)), problems };
}

async function runCommand(
  { args, ofLogs }: Command,
  { logDir, prices }: { readonly logDir: string; readonly prices: string },
): Promise<Finished> {
  const env = { ...process.env, MORTAL_MARK: join(logDir, 'died') };
  if (ofLogs) return run(process.execPath, [HOLDFAST, ...args, ...ofLogs(await logsIn(logDir))], { env });
  const more = args[0] === 'run' ? ['--prices', prices, '--quiet'] : await unfinishedIn(logDir);
  return run(process.execPath, [HOLDFAST, ...args, '--log-dir', logDir, ...more], { env });
}

async function logsIn(logDir: string): Promise<readonly string[]> {
  const names = await readdir(logDir).catch(() => []); // nothing was made there
  return names
    .filter((name) => name.endsWith('.eval'))
    .sort()
    .map((name) => join(logDir, name));
}

/** The runs that died there: recovering needs their names. */
async function unfinishedIn(logDir: string): Promise<readonly string[]> {
  const listed = await run(process.execPath, [HOLDFAST, 'recover', '--list', logDir, '--json'], {
    env: process.env,
  });
  const { recoverable } = JSON.parse(listed.stdout) as { recoverable: readonly { log: string }[] };
  return recoverable.map(({ log }) => log);
}

function problemOf({ isKilled = false }: Command, finished: Finished): string | undefined {
  const { exitCode, signal, stderr } = finished;
  const isRight = isKilled ? signal === 'SIGKILL' || exitCode === 137 : exitCode === 0 || exitCode === 1;
  return isRight ? undefined : `ended with ${signal ?? exitCode}: ${stderr.trim().slice(-500)}`;
}
