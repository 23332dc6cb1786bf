import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import type { Disk } from '../../src/disk/index.ts';
import { createLogFile, openLog, summarize, verifyLog } from '../../src/log/index.ts';
import { mergeLogs, recoverLog } from '../../src/recover/index.ts';
import { sweepCrashes } from './crash-sweep.ts';
import { LOG_NAME, logStart, madeEvent, madeSample, segmentEvent } from './inspect-buffer.ts';
import { makeTempDir, type TempDir } from './temp-dir.ts';

let scratch: TempDir;
beforeAll(async () => {
  scratch = await makeTempDir();
});
afterAll(() => scratch[Symbol.asyncDispose]());

const LOG = `/logs/${LOG_NAME}`;
const OUTPUT = LOG.replace('.eval', '-recovered.eval');
const BUFFER = `/logs/.buffer/${LOG_NAME.replace('.eval', '')}`;

/** A crashed log with one flushed sample, and a filestore with a completed one. */
async function crash(disk: Disk): Promise<void> {
  await disk.makeDir(BUFFER);
  const log = await createLogFile(disk, LOG);
  await log.writeStart(logStart());
  const flushed = madeSample(1);
  await log.writeSample({ fields: flushed, events: [], attachments: [], messages: [], calls: [] });
  await log.writeSummaryBatch([summarize(flushed)]);
  await log.finish();
  const segment = await createLogFile(disk, `${BUFFER}/segment.1.zip`);
  const events = [segmentEvent(1, madeEvent('info', { data: 'x' }), '2')];
  await segment.writeJson('2_1.json', { events, attachments: [], message_pool: [], call_pool: [] });
  await segment.finish();
  const summary = { id: 2, epoch: 1, input: 'q', target: '', metadata: {}, completed: true };
  const manifest = { metrics: [], samples: [{ summary, segments: [1] }], segments: [] };
  const file = await disk.open(`${BUFFER}/manifest.json`, 'create');
  await file.write(new TextEncoder().encode(JSON.stringify(manifest)), 0);
  await file.sync();
  await file.close();
  for (const dir of [BUFFER, '/logs/.buffer', '/logs', '/']) await disk.syncDir(dir);
}

const recover = (disk: Disk, overwrite: boolean) =>
  recoverLog({
    disk,
    clock: systemClock,
    log: LOG,
    dataDirs: ['/data'],
    scratchDir: scratch.path,
    forceDead: true,
    overwrite,
  });

/** `crashed`: the log as the crash left it. `recovered`: finished, whole, with both samples. */
async function stateOf(disk: Disk, path: string): Promise<'absent' | 'crashed' | 'recovered'> {
  if (!(await disk.stat(path))) return 'absent';
  const log = await openLog(disk, path);
  const [header, samples] = [await log.header(), await log.samples()];
  await log.close();
  if (header.status === 'started') return 'crashed';
  expect((await verifyLog(disk, path)).problems).toEqual([]);
  expect(samples.map(({ id }) => id)).toEqual([1, 2]);
  return 'recovered';
}

async function isSourceWhole(disk: Disk): Promise<boolean> {
  const names = ((await disk.list(BUFFER)) ?? []).map(({ name }) => name);
  return names.includes('manifest.json') && names.includes('segment.1.zip');
}

const isSourceThere = async (disk: Disk) =>
  ((await disk.list(BUFFER)) ?? []).some(({ name }) => !name.startsWith('.'));

const names = async (disk: Disk) =>
  ((await disk.list('/logs')) ?? []).map(({ name }) => name).filter((name) => !name.startsWith('.'));

describe('whatever kills a recovery', () => {
  test('the log is whole or absent, the sources stay until it is there, and the next recovery heals', async () => {
    const tried = await sweepCrashes({
      prepare: crash,
      act: (disk) => recover(disk, false),
      check: async (disk, result) => {
        const state = await stateOf(disk, OUTPUT);
        expect(await stateOf(disk, LOG)).toBe('crashed');
        expect((await names(disk)).every((name) => name.endsWith('.eval'))).toBe(true);
        if (result) expect(state).toBe('recovered');
        if (state === 'absent') expect(await isSourceWhole(disk)).toBe(true);
        if (state === 'absent' || (await isSourceThere(disk))) await recover(disk, false);
        // Also what an interrupted removal left of the sources is gone in the end.
        expect(await isSourceThere(disk)).toBe(false);
        expect(await stateOf(disk.powerCycle(), OUTPUT)).toBe('recovered');
      },
      seeds: 2,
    });
    expect(tried).toBeGreaterThan(50);
  });

  test('with --overwrite the log is the crashed one or the recovered one, and never anything else', async () => {
    await sweepCrashes({
      prepare: crash,
      act: (disk) => recover(disk, true),
      check: async (disk, result) => {
        const state = await stateOf(disk, LOG);
        expect(state).not.toBe('absent');
        if (result) expect(state).toBe('recovered');
        if (state === 'crashed') {
          expect(await isSourceWhole(disk)).toBe(true);
          await recover(disk, true);
        }
        expect(await stateOf(disk.powerCycle(), LOG)).toBe('recovered');
      },
      seeds: 2,
    });
  });
});

test('whatever kills a merge: the merged log is whole or absent, and merging again heals', async () => {
  const logs = ['/logs/a.eval', '/logs/b.eval'];
  await sweepCrashes({
    prepare: async (disk) => {
      await disk.makeDir('/logs');
      for (const [at, path] of logs.entries()) {
        const log = await createLogFile(disk, path);
        await log.writeStart(logStart());
        const fields = madeSample(at + 1);
        await log.writeSample({ fields, events: [], attachments: [], messages: [], calls: [] });
        await log.writeSummaryBatch([summarize(fields)]);
        await log.finish();
      }
      await disk.syncDir('/logs');
    },
    act: (disk) => mergeLogs({ disk, logs, output: '/logs/merged.eval' }),
    check: async (disk, result) => {
      const state = await stateOf(disk, '/logs/merged.eval');
      if (result) expect(state).toBe('recovered');
      if (state === 'absent') await mergeLogs({ disk, logs, output: '/logs/merged.eval' });
      expect(await stateOf(disk.powerCycle(), '/logs/merged.eval')).toBe('recovered');
    },
    seeds: 2,
  });
});
