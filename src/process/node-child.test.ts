/** Children that run code of ours: real processes, which are killed, hang and leave programs behind. */
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { stateOfProcess } from '../disk/index.ts';
import { type NodeChildOptions, startNodeChild } from './node-child.ts';
import { endTrees } from './started-trees.ts';

const HEAD = `
import { spawn } from 'node:child_process';
import { systemClock, systemRandom } from ${JSON.stringify(join(import.meta.dirname, '../base/index.ts'))};
import { nodeDisk } from ${JSON.stringify(join(import.meta.dirname, '../disk/index.ts'))};
import { endStarted, parentLink, runProcess } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};
const link = parentLink(process.env);
let files = 0;
const run = (argv, env = {}) => {
  const name = process.cwd() + '/' + ++files;
  return runProcess({ argv, env: { PATH: process.env.PATH, ...env }, cwd: process.cwd(), disk: nodeDisk, clock: systemClock,
    random: systemRandom, signal: new AbortController().signal, files: { stdout: name + '.out', stderr: name + '.err' } });
};
// Says its own pid, and stays for a minute; TERM does not end it.
const STAYS = ['sh', '-c', 'trap "" TERM; echo $$ > "$0"; for second in $(seq 60); do sleep 1; done'];
const stay = (name) => void run([...STAYS, process.cwd() + '/' + name]);
`;

interface Told {
  readonly pid?: number;
  readonly said?: string;
}

async function startScript(dir: string, script: string, more: Partial<NodeChildOptions> = {}) {
  const path = join(dir, 'child.ts');
  await writeFile(path, `${HEAD}${script}`);
  const told: Told[] = [];
  const lines: string[] = [];
  const child = startNodeChild({
    ...{ argv: [path], cwd: dir, env: { PATH: process.env.PATH } },
    onMessage: (message) => void told.push(message as Told),
    onLine: (line) => void lines.push(line),
    ...more,
  });
  const until = async (isThere: () => boolean) => {
    for (let tries = 0; !isThere(); tries++) {
      if (tries > 1_500) throw new Error(`it never came: ${JSON.stringify(told)} ${lines.join('\n')}`);
      await systemClock.sleep(10);
    }
  };
  return { child, told, until };
}

const isAlive = (pid: number) => stateOfProcess(pid).kind === 'running';

/** Tells the pids of all that it started, when they are there. */
const TELL = `
import { existsSync, readFileSync } from 'node:fs';
const pidOf = (name) => existsSync(name) ? Number.parseInt(readFileSync(name, 'utf8')) || 0 : 0;
const tell = async (...names) => {
  while (!names.every(pidOf)) await systemClock.sleep(10);
  for (const name of names) link.send({ pid: pidOf(name) });
};
`;

test.skipIf(process.platform !== 'linux')(
  'what a child has started ends with it, however it ends: programs of ours, of its own, and those that hide (looks into /proc, so on Linux)',
  async () => {
    await using dir = await makeTempDir();
    const { child, told, until } = await startScript(
      dir.path,
      `${TELL}
     stay('ours');
     spawn(STAYS[0], [...STAYS.slice(1), process.cwd() + '/own'], { detached: true, stdio: 'ignore' });
     void run(['env', '-i', 'PATH=' + process.env.PATH, ...STAYS, process.cwd() + '/hides']);
     await tell('ours', 'own', 'hides');`,
    );
    await until(() => told.length === 3);
    const pids = told.map(({ pid = 0 }) => pid);
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    child.kill('SIGKILL');
    expect(await child.ended).toEqual({ exitCode: null, signal: 'SIGKILL' });
    expect(pids.map(isAlive)).toEqual([false, false, false]);
  },
);

test('a number that another process has by now is not signalled', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  const tree = { pid: child.pid ?? 0, marker: 'nobody' };
  await endTrees([{ ...tree, processStart: 'long ago' }], undefined);
  expect(isAlive(tree.pid)).toBe(true);
  const state = stateOfProcess(tree.pid);
  const processStart = state.kind === 'running' ? state.processStart : undefined;
  await endTrees([{ ...tree, processStart }], undefined);
  expect(isAlive(tree.pid)).toBe(false);
});

test('a child that is left alone can end what it has started', async () => {
  await using dir = await makeTempDir();
  const { child, told, until } = await startScript(
    dir.path,
    `${TELL}
     stay('ours');
     await tell('ours');
     await endStarted();
     link.send({ said: 'ended' });
     link.onMessage(() => process.exit());`,
  );
  await until(() => told.length === 2);
  expect(isAlive(told[0]?.pid ?? 0)).toBe(false);
  child.send('go');
  expect(await child.ended).toMatchObject({ exitCode: 0 });
});

test('a child that does not answer for as long as it may is ended, and that is said', async () => {
  await using dir = await makeTempDir();
  const { child, told, until } = await startScript(
    dir.path,
    `link.onMessage(() => { for (;;); });
     link.send({ said: 'ready' });`,
    { answersWithinMs: 700 },
  );
  await until(() => told.length === 1);
  await systemClock.sleep(1_500);
  child.send('hang');
  expect(await child.ended).toEqual({ exitCode: null, signal: 'SIGKILL', unansweredMs: 700 });
  expect(told).toEqual([{ said: 'ready' }]);
});

test('one that is busy for less lives', async () => {
  await using dir = await makeTempDir();
  const { child } = await startScript(
    dir.path,
    `const untilMs = Date.now() + 1_000;
     while (Date.now() < untilMs);
     await systemClock.sleep(500);
     process.exit(7);`,
    { answersWithinMs: 4_000 },
  );
  expect(await child.ended).toEqual({ exitCode: 7, signal: null });
});
