/** However the process that launched workers ends, they are stopped once; where it could not, somebody else does. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { stopWorkers } from '../../src/launch/index.ts';
import { isRunning, Ledger, linesIn, placeIn, portsIn, RUN, until } from '../sim/launch/launch-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';

const CHILD = join(import.meta.dirname, '../sim/launch/submit-child.ts');

async function submitIn(dir: string, more: { readonly stop?: string; readonly mode?: string } = {}) {
  const ledger = new Ledger(dir);
  const stops = join(dir, 'stops');
  const own = {
    ...{ kind: 'command', workers: 2, program: ledger.program },
    start: 'for i in $(seq {workers}); do {command} >/dev/null 2>&1 & done',
    stop: `echo {label} >> ${stops}; ${more.stop ?? "pkill -f -- '--label {label}' || true"}`,
  };
  writeFileSync(join(dir, 'launch.json'), JSON.stringify({ own }));
  const child = spawn(process.execPath, [CHILD, dir, more.mode ?? 'stop'], {
    env: { ...process.env, HOLDFAST_TEST_RUN: RUN },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close');
  const pids = (await ledger.untilStarted(2)).map(({ pid }) => pid);
  await until(() => said.includes('working'), 'the work to begin');
  return {
    ...{ child, ledger, pids, stops: () => linesIn(stops), said: () => said },
    async end() {
      await ended;
      return said;
    },
    untilGone: () => until(() => !pids.some(isRunning), 'all workers to end'),
  };
}

test.each([
  ['its work is done', 'done', 'ended well'],
  ['its work fails', 'fail', 'ended with: the submit failed'],
])('%s: the workers are stopped once', async (_, file, says) => {
  await using dir = await makeTempDir();
  const { end, untilGone, stops, ledger } = await submitIn(dir.path);
  writeFileSync(join(dir.path, file), '');
  expect(await end()).toContain(says);
  await untilGone();
  expect(stops()).toHaveLength(1);
  expect(ledger.started).toHaveLength(2);
});

test('a submit that lets them go on, and fails, stops them', async () => {
  await using dir = await makeTempDir();
  const { end, untilGone, stops } = await submitIn(dir.path, { mode: 'keep' });
  writeFileSync(join(dir.path, 'fail'), '');
  await end();
  await untilGone();
  expect(stops()).toHaveLength(1);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s: the workers are stopped once', async (signal) => {
  await using dir = await makeTempDir();
  const { child, end, untilGone, stops } = await submitIn(dir.path);
  child.kill(signal);
  expect(await end()).toContain(`ended with: Stopped by ${signal}`);
  await untilGone();
  expect(stops()).toHaveLength(1);
});

test('a second Ctrl-C does not wait for the stop: it is said that they are told in the bucket, and how to make sure; that then works', async () => {
  await using dir = await makeTempDir();
  const slow = `test -e ${dir.path}/now || sleep 60; pkill -f -- '--label {label}' || true`;
  const { child, end, untilGone, stops, pids } = await submitIn(dir.path, { stop: slow });
  child.kill('SIGINT');
  await until(() => stops().length === 1, 'the stop to begin');
  child.kill('SIGINT');
  const said = await end();
  expect(said).toMatch(
    /Nobody waited until the workers holdfast-\S+ were stopped: they see in the bucket .*holdfast launch stop 20/,
  );
  expect(said).not.toContain('left running');
  expect(pids.every(isRunning)).toBe(true);
  writeFileSync(join(dir.path, 'now'), '');
  const [stopped] = await stopWorkers(placeIn(dir.path), RUN, portsIn(dir.path));
  expect(stopped?.outcome).toBe('stopped');
  await untilGone();
});

test('SIGKILL: the workers go on, and another machine finds and stops them', async () => {
  await using dir = await makeTempDir();
  const { child, end, untilGone, stops, pids } = await submitIn(dir.path);
  child.kill('SIGKILL');
  await end();
  expect(pids.every(isRunning)).toBe(true);
  const [stopped] = await stopWorkers(placeIn(dir.path), RUN, portsIn(dir.path));
  expect(stopped?.outcome).toBe('stopped');
  await untilGone();
  expect(stops()).toHaveLength(1);
});
