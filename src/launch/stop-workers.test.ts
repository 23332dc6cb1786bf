import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LABEL, linesIn, portsIn, RUN, until } from '../../test/sim/launch/launch-fixture.ts';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { bucketErrors } from '../bucket/index.ts';
import {
  hasLaunched,
  LaunchKeys,
  launchedFor,
  startWorkers,
  stopLaunched,
  stopWorkers,
  watchForStop,
} from './index.ts';

const own = { own: { kind: 'command' as const, start: 'true', stop: 'true' } };

async function launchIn(dir: string, { stop = 'true' }: { readonly stop?: string } = {}) {
  const clock = manualClock();
  const bucket = memoryBucket({ nowMs: () => clock.nowMs() });
  const place = { bucket, prefix: 'p/' };
  const keys = new LaunchKeys(place, RUN);
  // Processes need real time to start and end.
  const ports = portsIn(dir);
  await startWorkers(
    { place, run: RUN, launches: { own: { ...own.own, stop } }, wanted: 'own', argv: ['worker'] },
    ports,
  );
  const keysThere = async () => {
    const found: string[] = [];
    for await (const { key } of bucket.list(keys.root)) found.push(key.slice(keys.root.length));
    return found;
  };
  return { place, bucket, keys, clock, ports, keysThere };
}

describe('[SHR-16] who stops', () => {
  test('waits for whoever was first, and takes its word', async () => {
    await using dir = await makeTempDir();
    const { place, bucket, keys, clock, ports, keysThere } = await launchIn(dir.path);
    await bucket.create(keys.stopped(1), Buffer.from('{}\n'));
    const stopping = stopWorkers(place, RUN, { ...ports, clock });
    await clock.advance(80_000);
    await bucket.create(keys.gone(1), Buffer.from('{}\n'));
    await clock.advance(1_000);
    expect(await stopping).toMatchObject([{ outcome: 'already' }]);
    expect(await keysThere()).toEqual(['0001', '0001.gone', '0001.stopped']);
  });

  test('takes over from whoever died over it, after a while', async () => {
    await using dir = await makeTempDir();
    const { place, bucket, keys, clock, ports, keysThere } = await launchIn(dir.path);
    await bucket.create(keys.stopped(1), Buffer.from('{}\n'));
    const stopping = stopWorkers(place, RUN, { ...ports, clock });
    await clock.advance(89_000);
    expect(await keysThere()).toEqual(['0001', '0001.stopped']);
    await clock.advance(3_000);
    expect(await stopping).toMatchObject([{ outcome: 'stopped' }]);
    expect(await keysThere()).toEqual(['0001', '0001.gone', '0001.stopped', '0001.stopped.0002']);
  });

  test('takes over at once what was left long ago', async () => {
    await using dir = await makeTempDir();
    const { place, bucket, keys, clock, ports } = await launchIn(dir.path);
    await bucket.create(keys.stopped(1), Buffer.from('{}\n'));
    await clock.advance(3_600_000);
    expect(await stopWorkers(place, RUN, { ...ports, clock })).toMatchObject([{ outcome: 'stopped' }]);
  });

  test.each([
    ['stops them all the same, on no record', 'true', { outcome: 'stopped' }],
    [
      'is told when that fails',
      'echo no route >&2; false',
      { outcome: 'failed', problem: { code: 'E_LAUNCH_STOP' } },
    ],
  ])('while the bucket is away, %s', async (_, then, expected) => {
    await using dir = await makeTempDir();
    const stop = `echo stopped >> ${dir.path}/stops; ${then}`;
    const { place, bucket, ports, keysThere } = await launchIn(dir.path, { stop });
    const away = () => Promise.reject(bucketErrors.away('memory://', 'no answer'));
    const [record] = await launchedFor(place, RUN);
    if (!record) throw new Error('nothing was launched');
    const gone = { ...place, bucket: withMethods(bucket, { create: away, stat: away }) };
    expect(await stopLaunched(gone, record, ports)).toMatchObject(expected);
    expect(linesIn(join(dir.path, 'stops'))).toHaveLength(1);
    expect(await keysThere()).toEqual(['0001']);
    // Whoever comes later finds no word of it, and does it again.
    await stopWorkers(place, RUN, ports);
    expect(linesIn(join(dir.path, 'stops'))).toHaveLength(2);
  });
});

describe('what is on record', () => {
  test.each([
    ['no JSON', () => 'x'],
    ['of another run', (whole: string) => whole.replaceAll(RUN, 'another').replace(/,"sum":"\w+"/, '')],
    ['without a label', () => '{"version":1}'],
    [
      'with a command that is another by a bit',
      (whole: string) => whole.replace('"n":1', '"n":2').replace('"true"', '"trud"'),
    ],
  ])(
    '[SHR-24] [SHR-27] %s is not believed: its workers are told to end, nothing says that they are gone, and all others are stopped',
    async (_, damage) => {
      await using dir = await makeTempDir();
      const { place, bucket, keys, ports } = await launchIn(dir.path);
      const whole = String(await bucket.read(keys.record(1)));
      await bucket.create(keys.record(2), Buffer.from(damage(whole)));
      expect(await stopWorkers(place, RUN, ports)).toMatchObject([
        { outcome: 'stopped', record: { n: 1 } },
        { outcome: 'failed', record: { n: 2 }, problem: { code: 'E_SHARED_DAMAGED' } },
      ]);
      expect(await bucket.stat(keys.stopped(2))).toBeDefined();
      expect(await bucket.stat(keys.gone(2))).toBeUndefined();
      expect(await hasLaunched(place, RUN)).toBe(true);
    },
  );

  test('of a later version is not believed', async () => {
    await using dir = await makeTempDir();
    const { place, bucket, ports } = await launchIn(dir.path);
    await bucket.create(new LaunchKeys(place, 'other').record(1), Buffer.from('{"version":2}'));
    await expect(stopWorkers(place, 'other', ports)).rejects.toMatchObject({ code: 'E_SHARED_VERSION' });
  });

  test('[SHR-24] of another run that these workers are for as well: that one tells them to end', async () => {
    await using dir = await makeTempDir();
    const { place, bucket, ports } = await launchIn(dir.path);
    const other = new LaunchKeys(place, 'other');
    await bucket.create(other.record(1), Buffer.from('x'));
    await bucket.create(new LaunchKeys(place, RUN).served('other', 1), new Uint8Array());
    expect(await stopWorkers(place, RUN, ports)).toMatchObject([{ outcome: 'stopped' }]);
    expect(await bucket.stat(other.stopped(1))).toBeUndefined();
  });
});

describe('[SHR-17] a worker', () => {
  test('hears that its launch is stopped, once, also when the bucket was away meanwhile', async () => {
    await using dir = await makeTempDir();
    const { place, bucket, clock, ports } = await launchIn(dir.path);
    let isAway = false;
    let asked = 0;
    const stat: typeof bucket.stat = (key) => {
      asked++;
      return isAway ? Promise.reject(bucketErrors.away('memory://', 'no answer')) : bucket.stat(key);
    };
    const problems: unknown[] = [];
    let stops = 0;
    using _ = watchForStop(
      { ...place, bucket: withMethods(bucket, { stat }) },
      {
        ...{ run: RUN, label: LABEL, clock, onProblem: (problem: unknown) => void problems.push(problem) },
        onStop: () => {
          stops++;
        },
      },
    );
    await clock.advance(7_000);
    expect({ stops, asked }).toEqual({ stops: 0, asked: 2 });
    isAway = true;
    await stopWorkers(place, RUN, ports);
    await clock.advance(3_000);
    expect({ stops, problems: problems.length }).toEqual({ stops: 0, problems: 1 });
    isAway = false;
    await clock.advance(30_000);
    expect({ stops, asked }).toEqual({ stops: 1, asked: 4 });
  });

  test('hears nothing when it no longer listens, or has a label of its own', async () => {
    await using dir = await makeTempDir();
    const { place, clock, ports } = await launchIn(dir.path);
    let stops = 0;
    const about = { run: RUN, clock, onStop: () => void stops++ };
    const one = watchForStop(place, { ...about, label: LABEL });
    using _ = watchForStop(place, { ...about, label: 'mine' });
    await stopWorkers(place, RUN, ports);
    one[Symbol.dispose]();
    await clock.advance(30_000);
    expect(stops).toBe(0);
    await until(() => clock.sleepers === 0, 'no timer to be left');
  });
});
