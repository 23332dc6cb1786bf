/** Another machine, which has nothing but the bucket, stops the workers of a run. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSubmission } from '../../src/cluster/index.ts';
import { hasLaunched, startWorkers } from '../../src/launch/index.ts';
import {
  isRunning,
  LABEL,
  Ledger,
  linesIn,
  placeIn,
  portsIn,
  RUN,
  requestIn,
  until,
} from '../sim/launch/launch-fixture.ts';
import { sharedFixture } from '../sim/shared-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, startHoldfast } from './holdfast.ts';

async function launchIn(dir: string, stop: string) {
  const ledger = new Ledger(dir);
  const start = '{command} >/dev/null 2>&1 &';
  const own = { kind: 'command' as const, program: ledger.program, start, stop };
  await startWorkers(requestIn(dir, { own }), portsIn(dir));
  const [worker] = await ledger.untilStarted(1);
  return worker?.pid ?? 0;
}

test('holdfast launch stop ends workers, runs the stop once, and says so', async () => {
  await using dir = await makeTempDir();
  const stops = join(dir.path, 'stops');
  const pid = await launchIn(dir.path, `echo {label} >> ${stops}; pkill -f -- '--label {label}' || true`);
  const bucket = join(dir.path, 'bucket');
  expect(await hasLaunched(placeIn(dir.path), RUN)).toBe(true);
  await using elsewhere = await makeTempDir();
  const first = await holdfast(elsewhere.path, ['launch', 'stop', RUN, '--bucket', bucket]);
  expect(first).toMatchObject({ code: 0, stdout: `${LABEL} (command) stopped\n` });
  await until(() => !isRunning(pid), 'the worker to end');
  const second = await holdfast(elsewhere.path, ['launch', 'stop', RUN, '--json'], {
    HOLDFAST_BUCKET: bucket,
  });
  expect(second.code).toBe(0);
  expect(JSON.parse(second.stdout)).toEqual({
    exitCode: 0,
    run: RUN,
    launched: [{ label: LABEL, kind: 'command', name: 'own', workers: 1, outcome: 'already' }],
  });
  expect(linesIn(stops)).toEqual([LABEL]);
  expect(await hasLaunched(placeIn(dir.path), RUN)).toBe(false);
});

test('a stop that fails ends with 1 and says what to do; a second Ctrl-C leaves the workers and says how to stop them', async () => {
  await using dir = await makeTempDir();
  const [mode, begun] = [join(dir.path, 'mode'), join(dir.path, 'begun')];
  const stop = `if [ -e ${mode} ]; then touch ${begun}; sleep 60; else pkill -f -- '--label {label}'; echo cannot reach it >&2; exit 1; fi`;
  const pid = await launchIn(dir.path, stop);
  const argv = ['launch', 'stop', RUN, '--bucket', join(dir.path, 'bucket')];
  const failed = await holdfast(dir.path, argv);
  expect(failed).toMatchObject({ code: 1, stdout: `${LABEL} (command) NOT stopped\n` });
  expect(failed.stderr).toContain('cannot reach it');
  await until(() => !isRunning(pid), 'the worker to end');
  await portsIn(dir.path).disk.makeDir(mode);
  const { child, ended, said } = startHoldfast(dir.path, argv);
  await until(() => existsSync(begun), 'the stop to begin');
  child.kill('SIGINT');
  await said('Press Ctrl-C again');
  child.kill('SIGINT');
  const left = await ended;
  expect(left.code).toBe(1);
  expect(left.stderr).toContain(`To make sure of it: holdfast launch stop ${RUN}`);
});

test('a run that is not there, one without workers, and no bucket are said; the end of an id is enough', async () => {
  await using dir = await makeTempDir();
  mkdirSync(join(dir.path, 'bucket'));
  const none = await holdfast(dir.path, ['launch', 'stop', 'no-run', '--bucket', 'bucket', '--json']);
  expect(none.code).toBe(2);
  expect(JSON.parse(none.stdout)).toMatchObject({ error: { code: 'E_SHARED_UNKNOWN' } });
  const unsaid = await holdfast(dir.path, ['launch', 'stop', 'no-run', '--json']);
  expect(unsaid.code).toBe(2);
  expect(JSON.parse(unsaid.stdout)).toMatchObject({ error: { code: 'E_SHARED_BUCKET' } });
  await createSubmission(placeIn(dir.path), { ...sharedFixture().submission, run: RUN });
  const end = ['launch', 'stop', RUN.slice(-10), '--bucket', 'bucket', '--json'];
  const idle = await holdfast(dir.path, end);
  expect(idle.code).toBe(2);
  expect(JSON.parse(idle.stdout)).toMatchObject({ error: { code: 'E_LAUNCH_NONE' } });
  await launchIn(dir.path, `pkill -f -- '--label {label}' || true`);
  const stopped = await holdfast(dir.path, end);
  expect(JSON.parse(stopped.stdout)).toMatchObject({ run: RUN, launched: [{ outcome: 'stopped' }] });
});
