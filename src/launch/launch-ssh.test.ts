import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  commandLines,
  digestOfSecret,
  filesWithSecret,
  isRunning,
  LABEL,
  Ledger,
  placeIn,
  portsIn,
  RUN,
  requestIn,
  SECRET,
  until,
} from '../../test/sim/launch/launch-fixture.ts';
import { onSsh, type SshHosts, sshObstacle, startSshHosts } from '../../test/sim/launch/ssh-hosts.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import type { LaunchConfig } from '../config/index.ts';
import { runProcess } from '../process/index.ts';
import { startWorkers, stopWorkers, withWorkers } from './index.ts';
import { startScript, stopScript } from './ssh-scripts.ts';

let used: SshHosts | undefined;
const hosts = () => {
  if (used === undefined) throw new Error('no hosts were started');
  return used;
};

type SshConfig = Extract<LaunchConfig, { kind: 'ssh' }>;

function launchOf(dir: string, more: Partial<SshConfig> = {}) {
  const ledger = new Ledger(dir);
  const [one, two] = hosts().hosts;
  const config: SshConfig = {
    kind: 'ssh',
    hosts: [one.name, { host: two.name, slots: 7, dir }],
    options: [...hosts().options],
    program: ledger.program,
    graceSeconds: 3,
    ...more,
  };
  return { ledger, launches: { lab: config } };
}

const stateOf = (index: 0 | 1) =>
  join(hosts().hosts[index].home, '.holdfast/launched', `${LABEL}.000${index + 1}`);

const allGone = (pids: readonly (number | undefined)[]) =>
  expect(pids.filter((pid) => pid !== undefined && isRunning(pid))).toEqual([]);

describe.skipIf(sshObstacle !== undefined)(onSsh('workers over ssh'), () => {
  beforeAll(async () => {
    used = await startSshHosts();
  });
  afterAll(() => used?.[Symbol.asyncDispose]());

  /** Each test has the hosts as if nothing had been there. */
  async function fresh() {
    for (const { home } of hosts().hosts) await portsIn('/tmp').disk.removeTree(join(home, '.holdfast'));
    return makeTempDir();
  }

  test('are started once on each host, and are gone when the work is done', async () => {
    await using dir = await fresh();
    const { ledger, launches } = launchOf(dir.path);
    const { done: started } = await withWorkers(
      requestIn(dir.path, launches),
      portsIn(dir.path),
      async (launched) => {
        expect(launched.started).toBe(2);
        expect(launched.record.hosts).toEqual(hosts().hosts.map(({ name }) => name));
        return ledger.untilStarted(2);
      },
    );
    allGone(started.map(({ pid }) => pid));
    expect(ledger.started).toHaveLength(2);
    expect(ledger.ended).toHaveLength(2);
    const withSlots = started.filter(({ words }) => words.join(' ').endsWith('--slots 7'));
    expect(withSlots.map(({ cwd }) => cwd)).toEqual([dir.path]);
    for (const { words } of started)
      expect(words.join(' ')).toContain(`--label ${LABEL} --launched-for ${RUN}`);
    for (const index of [0, 1] as const)
      expect(readFileSync(join(stateOf(index), 'ended'), 'utf8')).toBe('0\n');
  });

  test('that are deaf, and what they started, are killed after the grace', async () => {
    await using dir = await fresh();
    const { ledger, launches } = launchOf(dir.path);
    const argv = ['worker', '--stubborn', '--child'];
    const launched = await startWorkers(requestIn(dir.path, launches, { argv }), portsIn(dir.path));
    const started = await ledger.untilStarted(2);
    expect((await launched.stop()).outcome).toBe('stopped');
    allGone(started.flatMap(({ pid, child }) => [pid, child]));
    expect(ledger.ended).toEqual([]);
  });

  test('are stopped from the bucket alone, and a second stop finds nothing to do', async () => {
    await using dir = await fresh();
    const { ledger, launches } = launchOf(dir.path);
    await withWorkers(
      { ...requestIn(dir.path, launches), isKept: () => true },
      portsIn(dir.path),
      async () => undefined,
    );
    const started = await ledger.untilStarted(2);
    expect(started.every(({ pid }) => isRunning(pid))).toBe(true);
    const both = await Promise.all([1, 2].map(() => stopWorkers(placeIn(dir.path), RUN, portsIn(dir.path))));
    expect(
      both
        .flat()
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(['already', 'stopped']);
    allGone(started.map(({ pid }) => pid));
  });

  test('have their keys in a file of mode 0600 that goes with them, and nobody else sees them', async () => {
    await using dir = await fresh();
    const { ledger, launches } = launchOf(dir.path, { copyEnv: true });
    const launched = await startWorkers(requestIn(dir.path, launches), portsIn(dir.path));
    const started = await ledger.untilStarted(2);
    for (const { keyDigest, envFileMode, envFile = '' } of started) {
      expect(keyDigest).toBe(digestOfSecret);
      expect(envFileMode).toBe(0o600);
      expect(statSync(join(envFile, '..')).mode & 0o777).toBe(0o700);
    }
    expect(commandLines().filter((line) => line.includes(SECRET))).toEqual([]);
    expect(filesWithSecret(dir.path)).toEqual([]);
    // One is killed without a chance to clean up after itself, the other is stopped.
    process.kill(started[0]?.pid ?? 0, 'SIGKILL');
    await until(() => !existsSync(started[0]?.envFile ?? ''), 'the keys to go with the worker');
    await launched.stop();
    for (const { home, log } of hosts().hosts) {
      expect(filesWithSecret(home)).toEqual([]);
      expect(log()).not.toContain(SECRET);
    }
  });

  test('without copyEnv only the name of the file with keys goes there', async () => {
    await using dir = await fresh();
    for (const { home } of hosts().hosts)
      writeFileSync(join(home, 'keys'), 'STAND_IN_KEY=other\n', { mode: 0o600 });
    const { ledger, launches } = launchOf(dir.path, { envFile: '~/keys' });
    const launched = await startWorkers(requestIn(dir.path, launches), portsIn(dir.path));
    const started = await ledger.untilStarted(2);
    expect(started.map(({ envFile }) => envFile).sort()).toEqual(
      hosts()
        .hosts.map(({ home }) => join(home, 'keys'))
        .sort(),
    );
    await launched.stop();
    for (const { home } of hosts().hosts) {
      expect(filesWithSecret(home)).toEqual([]);
      expect(existsSync(join(home, 'keys'))).toBe(true);
    }
  });

  test('one host that is away is told, and the others work; with none there is an error and nothing is left', async () => {
    await using dir = await fresh();
    const problems: unknown[] = [];
    const ports = portsIn(dir.path, { onProblem: (problem) => void problems.push(problem) });
    const [one] = hosts().hosts;
    const { ledger, launches } = launchOf(dir.path, { hosts: [one.name, 'nobody@127.0.0.1'] });
    const launched = await startWorkers(requestIn(dir.path, launches), ports);
    expect(launched.started).toBe(1);
    expect(problems).toMatchObject([
      { code: 'E_LAUNCH_START', message: expect.stringContaining('nobody@127.0.0.1') },
    ]);
    const started = await ledger.untilStarted(1);
    expect((await launched.stop()).problem).toMatchObject({ code: 'E_LAUNCH_STOP' });
    allGone(started.map(({ pid }) => pid));
    const none = launchOf(dir.path, { hosts: ['nobody@127.0.0.1'] });
    await expect(startWorkers(requestIn(dir.path, none.launches), ports)).rejects.toMatchObject({
      code: 'E_LAUNCH_START',
    });
  });

  test('a program that is not on the host is said at once', async () => {
    await using dir = await fresh();
    const { launches } = launchOf(dir.path, { program: 'no-such-holdfast', copyEnv: true });
    await expect(startWorkers(requestIn(dir.path, launches), portsIn(dir.path))).rejects.toMatchObject({
      code: 'E_LAUNCH_START',
      message: expect.stringContaining('no-such-holdfast'),
    });
    for (const { home } of hosts().hosts) expect(filesWithSecret(home)).toEqual([]);
  });
});

describe('the scripts of a host', () => {
  async function runScript(home: string, script: string, shell = 'sh') {
    const dir = await makeTempDir();
    await using _ = dir;
    const stdin = join(dir.path, 'script');
    writeFileSync(stdin, script);
    const files = { stdin, stdout: join(dir.path, 'out'), stderr: join(dir.path, 'err') };
    const { disk, clock, random } = portsIn(dir.path);
    const end = await runProcess({
      ...{ disk, clock, random, files, cwd: home, argv: [shell, '-s'], leavesRunning: true },
      env: { HOME: home, PATH: process.env.PATH },
      signal: new AbortController().signal,
    });
    return { code: end.exitCode, said: readFileSync(files.stderr, 'utf8') };
  }
  const worker = { label: LABEL, at: 1 };
  const start = { ...worker, commandLine: 'touch "$HOME/began"; sleep 60' };

  test('a start that comes after its stop starts nothing', async () => {
    await using dir = await makeTempDir();
    expect(await runScript(dir.path, stopScript(worker, 1))).toMatchObject({ code: 0 });
    const late = await runScript(dir.path, startScript(start));
    expect(late).toEqual({ code: 3, said: 'it was stopped before it was started\n' });
    expect(readdirSync(dir.path)).toEqual(['.holdfast']);
  });

  test('a second start starts nothing, and a stop may come twice', async () => {
    await using dir = await makeTempDir();
    const counted = { ...start, commandLine: 'echo begun >> "$HOME/began"; sleep 60' };
    expect(await runScript(dir.path, startScript(counted))).toMatchObject({ code: 0 });
    expect(await runScript(dir.path, startScript(counted))).toMatchObject({ code: 0 });
    expect(readFileSync(join(dir.path, 'began'), 'utf8')).toBe('begun\n');
    const pid = Number(readFileSync(join(dir.path, '.holdfast/launched', `${LABEL}.0001`, 'pid'), 'utf8'));
    expect(isRunning(pid)).toBe(true);
    for (const _ of [1, 2])
      expect(await runScript(dir.path, stopScript(worker, 5))).toMatchObject({ code: 0 });
    expect(isRunning(pid)).toBe(false);
  });

  test.each([
    ['', (script: string) => script],
    [', also without /proc', (script: string) => script.replaceAll('/proc/', '/absent/')],
  ])('a pid that belongs to somebody else by now is left alone%s', async (_, changed) => {
    await using dir = await makeTempDir();
    const state = join(dir.path, '.holdfast/launched', `${LABEL}.0001`);
    await portsIn(dir.path).disk.makeDir(state);
    const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    writeFileSync(join(state, 'pid'), `${other.pid}\n`);
    expect(await runScript(dir.path, changed(stopScript(worker, 1)))).toMatchObject({ code: 0 });
    expect(isRunning(other.pid ?? 0)).toBe(true);
    other.kill('SIGKILL');
  });

  test.each([
    ['ends when it is told', '--child', 1],
    ['is deaf', '--child --stubborn', 0],
  ])(
    'a host without /proc and setsid, such as macOS: a worker that %s goes with all that it started',
    async (_, words, ended) => {
      await using dir = await makeTempDir();
      const ledger = new Ledger(dir.path);
      const asOnMac = (script: string) =>
        script.replaceAll('/proc/', '/absent/').replaceAll('setsid', 'absent');
      const commandLine = `${ledger.program} worker --label ${LABEL} ${words}`;
      const [shell, other] = ['bash', spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })];
      const script = asOnMac(startScript({ ...start, commandLine }));
      expect(await runScript(dir.path, script, shell)).toMatchObject({ code: 0 });
      const [worker1] = await ledger.untilStarted(1);
      expect(worker1?.child).toBeDefined();
      const stop = asOnMac(stopScript(worker, 3));
      expect(await runScript(dir.path, stop, shell)).toEqual({ code: 0, said: '' });
      expect([worker1?.pid ?? 0, worker1?.child ?? 0].filter(isRunning)).toEqual([]);
      expect(ledger.ended).toHaveLength(ended);
      expect(isRunning(other.pid ?? 0)).toBe(true);
      other.kill('SIGKILL');
      expect(await runScript(dir.path, stop, shell)).toMatchObject({ code: 0 });
    },
  );

  test('half a script does nothing', async () => {
    await using dir = await makeTempDir();
    const script = startScript({ ...start, envText: 'KEY=1\n' });
    for (const part of [0.5, 0.9]) await runScript(dir.path, script.slice(0, script.length * part));
    await runScript(dir.path, script.slice(0, script.lastIndexOf('main')));
    expect(readdirSync(dir.path)).toEqual([]);
  });
});
