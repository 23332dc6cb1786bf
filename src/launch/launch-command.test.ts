import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  commandLines,
  digestOfSecret,
  filesWithSecret,
  isRunning,
  LABEL,
  Ledger,
  linesIn,
  placeIn,
  portsIn,
  RUN,
  requestIn,
  SECRET,
  until,
} from '../../test/sim/launch/launch-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { checkLaunch, LaunchKeys, launchedFor, startWorkers, stopWorkers, withWorkers } from './index.ts';

/** Two workers of this machine, found again by their label; each start and stop leaves a line. */
function launchOf(dir: string, more: { start?: string; stop?: string; program?: string } = {}) {
  const ledger = new Ledger(dir);
  const stops = join(dir, 'stops');
  const starts = join(dir, 'starts');
  const config = {
    kind: 'command' as const,
    workers: 2,
    program: ledger.program,
    start: `echo start {label} {workers} {run} >> ${starts}; for i in $(seq {workers}); do {command} >/dev/null 2>&1 & done`,
    stop: `echo stop {label} >> ${stops}; pkill -f -- '--label {label}'; test $? -le 1`,
    ...more,
  };
  return { ledger, stops: () => linesIn(stops), starts: () => linesIn(starts), launches: { own: config } };
}

const untilGone = (pids: readonly number[]) => until(() => !pids.some(isRunning), 'all workers to end');

describe('workers that a command starts', () => {
  test('are started once with the words of a worker, and stopped once when the work is done', async () => {
    await using dir = await makeTempDir();
    const { ledger, starts, stops, launches } = launchOf(dir.path);
    const { done: pids } = await withWorkers(
      requestIn(dir.path, launches),
      portsIn(dir.path),
      async (launched) => {
        expect(launched.started).toBe(2);
        const started = await ledger.untilStarted(2);
        for (const { words, keyDigest } of started) {
          expect(words).toEqual([
            ...['worker', '--queue', 'redis://queue:6379/0', '--bucket', join(dir.path, 'bucket')],
            ...['--label', LABEL, '--launched-for', RUN, '--idle-exit', '15m', '--max-runtime', '24h'],
          ]);
          expect(keyDigest).toBe(digestOfSecret);
        }
        return started.map(({ pid }) => pid);
      },
    );
    await untilGone(pids);
    expect(starts()).toEqual([`start ${LABEL} 2 ${RUN}`]);
    expect(stops()).toEqual([`stop ${LABEL}`]);
    // Whoever comes later finds that it is done.
    const again = await stopWorkers(placeIn(dir.path), RUN, portsIn(dir.path));
    expect(again.map(({ outcome }) => outcome)).toEqual(['already']);
    expect(stops()).toHaveLength(1);
    expect(ledger.started).toHaveLength(2);
  });

  test('[SHR-14] are on record before they are started, with what stops them', async () => {
    await using dir = await makeTempDir();
    const record = new LaunchKeys({ ...placeIn(dir.path) }, RUN).record(1);
    const seen = join(dir.path, 'seen');
    const { launches } = launchOf(dir.path, {
      start: `cp ${join(dir.path, 'bucket', record)} ${seen}`,
      stop: 'true {label}',
    });
    const launched = await startWorkers(requestIn(dir.path, launches), portsIn(dir.path));
    expect(JSON.parse(readFileSync(seen, 'utf8'))).toMatchObject({
      ...{ format: 'holdfast-launched', version: 1, run: RUN, n: 1, name: 'own', kind: 'command' },
      ...{ label: LABEL, workers: 2, by: 'me@here' },
      stop: [{ about: 'the stop command of own', argv: [`true ${LABEL}`], isShell: true }],
    });
    expect((await launched.stop()).outcome).toBe('stopped');
  });

  test('are stopped when the work fails, and its error is the one that is told', async () => {
    await using dir = await makeTempDir();
    const { ledger, stops, launches } = launchOf(dir.path);
    let pids: readonly number[] = [];
    const work = async () => {
      pids = (await ledger.untilStarted(2)).map(({ pid }) => pid);
      throw new Error('the work failed');
    };
    const request = { ...requestIn(dir.path, launches), isKept: () => true };
    await expect(withWorkers(request, portsIn(dir.path), work)).rejects.toThrow('the work failed');
    await untilGone(pids);
    expect(stops()).toHaveLength(1);
  });

  test('are left running when they are to be kept, and stopped from the bucket alone', async () => {
    await using dir = await makeTempDir();
    const { ledger, stops, launches } = launchOf(dir.path);
    const request = { ...requestIn(dir.path, launches), isKept: () => true };
    await withWorkers(request, portsIn(dir.path), async () => undefined);
    const pids = (await ledger.untilStarted(2)).map(({ pid }) => pid);
    expect(pids.every(isRunning)).toBe(true);
    // Many at once, each of whom knows nothing but the bucket.
    const all = await Promise.all(
      Array.from({ length: 5 }, () => stopWorkers(placeIn(dir.path), RUN, portsIn(dir.path))),
    );
    const outcomes = all.flat().map(({ outcome }) => outcome);
    expect(outcomes.sort()).toEqual(['already', 'already', 'already', 'already', 'stopped']);
    await untilGone(pids);
    expect(stops()).toHaveLength(1);
  });

  test('are stopped when it was given up to start them', async () => {
    await using dir = await makeTempDir();
    const { ledger, stops, launches } = launchOf(dir.path, {
      start: '{command} >/dev/null 2>&1 & sleep 60',
    });
    const abort = new AbortController();
    const starting = startWorkers(requestIn(dir.path, launches), portsIn(dir.path, { signal: abort.signal }));
    const [worker] = await ledger.untilStarted(1);
    abort.abort(new Error('Ctrl-C'));
    await expect(starting).rejects.toThrow('Ctrl-C');
    await untilGone([worker?.pid ?? 0]);
    expect(stops()).toHaveLength(1);
  });

  test('are stopped when the start fails halfway, which says what it said', async () => {
    await using dir = await makeTempDir();
    const { ledger, stops, launches } = launchOf(dir.path, {
      start: '{command} >/dev/null 2>&1 & sleep 0.5; echo no more machines >&2; exit 7',
    });
    await expect(startWorkers(requestIn(dir.path, launches), portsIn(dir.path))).rejects.toMatchObject({
      code: 'E_LAUNCH_START',
      message: 'No worker was started by the start command of own: no more machines.',
    });
    await untilGone(ledger.started.map(({ pid }) => pid));
    expect(stops()).toHaveLength(1);
  });

  test('that were stopped from elsewhere while they were being started are stopped again', async () => {
    await using dir = await makeTempDir();
    const { ledger, stops, launches } = launchOf(dir.path, {
      start: `touch ${join(dir.path, 'begun')}; while [ ! -e ${join(dir.path, 'go')} ]; do sleep 0.1; done; {command} >/dev/null 2>&1 &`,
    });
    const starting = startWorkers(requestIn(dir.path, launches), portsIn(dir.path));
    starting.catch(() => undefined);
    await until(() => existsSync(join(dir.path, 'begun')), 'the start to begin');
    await stopWorkers(placeIn(dir.path), RUN, portsIn(dir.path));
    expect(stops()).toHaveLength(1);
    await portsIn(dir.path).disk.makeDir(join(dir.path, 'go'));
    await expect(starting).rejects.toMatchObject({ code: 'E_LAUNCH_STOPPED' });
    await untilGone(ledger.started.map(({ pid }) => pid));
    expect(stops()).toHaveLength(2);
  });

  test('[SHR-16] a stop that failed is said, and the next one to come tries again at once', async () => {
    await using dir = await makeTempDir();
    const { launches } = launchOf(dir.path, {
      start: 'true',
      stop: `test -e ${join(dir.path, 'reachable')} || { echo unreachable >&2; exit 1; }`,
    });
    const launched = await startWorkers(requestIn(dir.path, launches), portsIn(dir.path));
    const first = await launched.stop();
    expect(first).toMatchObject({
      outcome: 'failed',
      problem: { code: 'E_LAUNCH_STOP', message: expect.stringContaining('unreachable'), retryable: true },
    });
    await portsIn(dir.path).disk.makeDir(join(dir.path, 'reachable'));
    const [second] = await stopWorkers(placeIn(dir.path), RUN, portsIn(dir.path));
    expect(second?.outcome).toBe('stopped');
  });

  test('a second Ctrl-C gives up the stop, and says what is left and how to stop it', async () => {
    await using dir = await makeTempDir();
    const { launches } = launchOf(dir.path, { start: 'true', stop: `touch ${dir.path}/stopping; sleep 30` });
    const abandon = new AbortController();
    const ports = portsIn(dir.path, { abandon: abandon.signal });
    const launched = await startWorkers(requestIn(dir.path, launches), ports);
    const stopping = launched.stop();
    await until(() => existsSync(join(dir.path, 'stopping')), 'the stop to begin');
    abandon.abort(new Error('Ctrl-C again'));
    expect(await stopping).toMatchObject({
      outcome: 'failed',
      problem: {
        code: 'E_LAUNCH_ABANDONED',
        message: expect.stringContaining(LABEL),
        hint: `To make sure of it: holdfast launch stop ${RUN} --bucket ${join(dir.path, 'bucket')}`,
      },
    });
  });

  test('[SHR-15] each launch of a run has a number and a label of its own', async () => {
    await using dir = await makeTempDir();
    const { launches } = launchOf(dir.path, { start: 'true', stop: 'true' });
    const request = requestIn(dir.path, launches);
    await Promise.all(Array.from({ length: 4 }, () => startWorkers(request, portsIn(dir.path))));
    const labels = (await launchedFor(placeIn(dir.path), RUN)).map(({ label }) => label);
    expect(labels).toEqual([1, 2, 3, 4].map((n) => LABEL.replace(/1$/, String(n))));
    for (const label of labels) expect(label).toMatch(/^[a-z0-9-]{1,63}$/);
  });
});

describe('secrets', () => {
  test('are in no command line, no record, no file and no message', async () => {
    await using dir = await makeTempDir();
    const { ledger, launches } = launchOf(dir.path);
    const launched = await startWorkers(requestIn(dir.path, launches), portsIn(dir.path));
    await ledger.untilStarted(2);
    expect(commandLines().filter((line) => line.includes(SECRET))).toEqual([]);
    await launched.stop();
    expect(filesWithSecret(dir.path)).toEqual([]);
  });

  test('what a command says is told without them', async () => {
    await using dir = await makeTempDir();
    const { launches } = launchOf(dir.path, {
      start: 'echo "key $STAND_IN_KEY is wrong" >&2; exit 1',
      stop: 'true',
    });
    await expect(startWorkers(requestIn(dir.path, launches), portsIn(dir.path))).rejects.toMatchObject({
      message: 'No worker was started by the start command of own: key … is wrong.',
    });
    expect(filesWithSecret(dir.path)).toEqual([]);
  });

  test.each([
    ['a key in the start command', { start: `KEY='${SECRET}' {command}` }, {}, 'STAND_IN_KEY'],
    ['a key in the stop command', { stop: `x ${SECRET}` }, {}, 'STAND_IN_KEY'],
    ['a password in an address', {}, { argv: ['worker', '--queue', 'redis://me:pass@host'] }, 'a password'],
  ])('%s is refused before anything is on record', async (_, config, more, says) => {
    await using dir = await makeTempDir();
    const { launches, starts } = launchOf(dir.path, config);
    const request = requestIn(dir.path, launches, more);
    const refused = { code: 'E_LAUNCH_SECRET', message: expect.stringContaining(says) };
    await expect(checkLaunch(request, portsIn(dir.path))).rejects.toMatchObject(refused);
    await expect(startWorkers(request, portsIn(dir.path))).rejects.toMatchObject(refused);
    expect(await launchedFor(request.place, RUN)).toEqual([]);
    expect(starts()).toEqual([]);
  });
});
