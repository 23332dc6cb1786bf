import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Liveness, livenessOf } from './liveness.ts';
import {
  type ProcessIdentity,
  type ProcessState,
  parseProcStat,
  parsePsLine,
  stateOfProcess,
  whoAmI,
} from './process-identity.ts';

const self: ProcessIdentity = {
  host: 'here',
  machineId: 'm1',
  bootId: 'boot1',
  pid: 10,
  processStart: '100',
  pidNamespace: 'pid:[1]',
};
const other: ProcessIdentity = { ...self, pid: 20, processStart: '200' };

const running = (processStart: string): ProcessState => ({ kind: 'running', processStart });
const gone: ProcessState = { kind: 'gone' };
const hidden: ProcessState = { kind: 'hidden' };

/** Every combination of what can be the same, different or not known, and what the system says about the pid. */
const MACHINES = ['same', 'same, no machine id', 'other host', 'other machine id'] as const;
const BOOTS = ['same', 'other', 'theirs unknown', 'ours unknown'] as const;
const NAMESPACES = ['same', 'other', 'theirs unknown', 'both unknown'] as const;
const STATES = { 'same start': running('200'), 'other start': running('201'), gone, hidden } as const;

test('liveness is told for every combination, and dead only when it is certain', () => {
  const seen = new Map<Liveness, number>();
  for (const machine of MACHINES) {
    for (const boot of BOOTS) {
      for (const namespace of NAMESPACES) {
        for (const [state, said] of Object.entries(STATES)) {
          const [them, us] = identities(machine, boot, namespace);
          const told = livenessOf(them, { self: us, stateOf: () => said });
          expect([machine, boot, namespace, state, told]).toEqual([
            machine,
            boot,
            namespace,
            state,
            expected(machine, boot, namespace, state),
          ]);
          seen.set(told, (seen.get(told) ?? 0) + 1);
        }
      }
    }
  }
  expect([...seen.keys()].sort()).toEqual(['alive', 'dead', 'unknown']);
});

function expected(machine: string, boot: string, namespace: string, state: string): Liveness {
  if (machine.startsWith('other')) return 'unknown';
  if (boot.endsWith('unknown')) return 'unknown';
  if (boot === 'other') return 'dead';
  if (namespace !== 'same') return 'unknown';
  if (state === 'hidden') return 'unknown';
  return state === 'same start' ? 'alive' : 'dead';
}

function identities(machine: string, boot: string, namespace: string): [ProcessIdentity, ProcessIdentity] {
  const them = {
    ...other,
    ...(machine === 'other host' && { host: 'there' }),
    ...(machine === 'other machine id' && { machineId: 'm2' }),
    ...(machine === 'same, no machine id' && { machineId: undefined }),
    ...(boot === 'other' && { bootId: 'boot2' }),
    ...(boot === 'theirs unknown' && { bootId: undefined }),
    ...(namespace === 'other' && { pidNamespace: 'pid:[2]' }),
    ...(namespace.endsWith('unknown') && { pidNamespace: undefined }),
  };
  const us = {
    ...self,
    ...(boot === 'ours unknown' && { bootId: undefined }),
    ...(namespace === 'both unknown' && { pidNamespace: undefined }),
  };
  return [them, us];
}

test('without a boot id only this very process is known to be alive', () => {
  const windows = { ...self, machineId: undefined, bootId: undefined, pidNamespace: undefined };
  expect(livenessOf(windows, { self: windows, stateOf: () => hidden })).toBe('alive');
  expect(livenessOf({ ...windows, processStart: 'x' }, { self: windows, stateOf: () => hidden })).toBe(
    'unknown',
  );
  expect(livenessOf({ ...windows, pid: 11 }, { self: windows, stateOf: () => hidden })).toBe('unknown');
});

test('this process is alive, and its identity stays the same', () => {
  const me = whoAmI();
  expect(me.pid).toBe(process.pid);
  expect(whoAmI()).toEqual(me);
  expect(livenessOf(me)).toBe('alive');
  expect(livenessOf(JSON.parse(JSON.stringify(me)))).toBe('alive');
});

const onKnownSystem = test.skipIf(process.platform !== 'linux' && process.platform !== 'darwin');

onKnownSystem('a child is alive, and dead once it was killed and waited for', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const identity = identityOf(child.pid);
  expect(livenessOf(identity)).toBe('alive');
  expect(livenessOf({ ...identity, processStart: 'earlier' })).toBe('dead');
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  expect(livenessOf(identity)).toBe('dead');
});

test.skipIf(process.platform !== 'linux')('a zombie is dead', async () => {
  // The shell replaces itself by a program that never waits for the child, which ends only after that: a zombie.
  const script = '(read line <&3) & echo $!; exec sleep 60';
  const parent = spawn('/bin/sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
  try {
    const [chunk] = await once(outputOf(parent), 'data');
    const zombie = Number(String(chunk).trim());
    await waitFor(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
    expect(stateOfProcess(zombie)).toMatchObject({ kind: 'running' });
    parent.stdio[3]?.destroy();
    await waitFor(() => readFileSync(`/proc/${zombie}/stat`, 'utf8').includes(') Z '));
    expect(stateOfProcess(zombie)).toEqual({ kind: 'gone' });
    process.kill(zombie, 0);
  } finally {
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  }
});

test.skipIf(process.platform !== 'linux')(
  'a process of another pid namespace is not mistaken for one of ours',
  () => {
    const me = whoAmI();
    expect(me.bootId).toMatch(/^[0-9a-f-]{36}$/);
    expect(livenessOf({ ...me, pidNamespace: 'pid:[1]' })).toBe('unknown');
    expect(livenessOf({ ...me, bootId: 'another' })).toBe('dead');
    expect(livenessOf({ ...me, host: 'elsewhere', bootId: 'another' })).toBe('unknown');
  },
);

test.each([0, -1, -process.pid, 1.5, Number.NaN, 2 ** 60])('the pid %d is no process', (pid) => {
  expect(stateOfProcess(pid)).toEqual({ kind: 'gone' });
});

test('the name of a program may look like anything', () => {
  const rest = `${'0 '.repeat(18)}4711 0 0`;
  expect(parseProcStat(`7 (a) Z 1) S ${rest}`)).toEqual(running('4711'));
  expect(parseProcStat(`7 (x) Z ${rest}`)).toEqual(gone);
  expect(parseProcStat('7 (x) S 1 2')).toEqual(hidden);
});

test('what ps says on macOS', () => {
  expect(parsePsLine('Ss   Mon Nov  9 09:14:02 2026')).toEqual(running('Mon Nov 9 09:14:02 2026'));
  expect(parsePsLine('Z+   Mon Nov  9 09:14:02 2026')).toEqual(gone);
  expect(parsePsLine('')).toEqual(hidden);
});

function identityOf(pid: number | undefined): ProcessIdentity {
  const state = stateOfProcess(pid ?? 0);
  if (pid === undefined || state.kind !== 'running') throw new Error('the child is not running');
  return { ...whoAmI(), pid, processStart: state.processStart };
}

function outputOf(child: ChildProcess): Readable {
  if (!child.stdout) throw new Error('the child has no output');
  return child.stdout;
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}
