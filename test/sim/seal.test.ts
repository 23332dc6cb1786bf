import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import type { Disk } from '../../src/disk/index.ts';
import { type JournalWriter, RunJournals, StateDir } from '../../src/journal/index.ts';
import { directoryLogStore, openLog, verifyLog } from '../../src/log/index.ts';
import { applySeal, planSeal, releaseRun, sweepReleased } from '../../src/seal/index.ts';
import { sweepCrashes } from './crash-sweep.ts';
import { FaultyDisk } from './faulty-disk.ts';
import { filledJournal, infoEvent, sampleFields, sampleStart } from './journal-fixture.ts';
import { lyingDisk } from './lying-disk.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { makeTempDir, type TempDir } from './temp-dir.ts';

let dir: TempDir;
let journal: JournalWriter;
beforeEach(async () => {
  dir = await makeTempDir();
  journal = await filledJournal(dir.path);
});
afterEach(async () => {
  journal.close();
  await dir[Symbol.asyncDispose]();
});

const LOG = '/logs/sealed.eval';
const sealOf = async (disk: Disk, writer: JournalWriter) => {
  const journals = new RunJournals([writer.reader], { runDir: dirname(writer.dir), unreadable: [] });
  const logs = directoryLogStore(disk, dirname(LOG));
  return applySeal(await planSeal(journals, logs), {
    clock: systemClock,
    logs,
    outcome: { status: 'success' },
  });
};
const seal = (disk: Disk) => sealOf(disk, journal);

/** The log is whole and holds every sample, or there is none. */
async function wholeOrAbsent(disk: Disk): Promise<boolean> {
  if (!(await disk.stat(LOG))) return false;
  expect((await verifyLog(disk, LOG)).problems).toEqual([]);
  const log = await openLog(disk, LOG);
  const ids: unknown[] = [];
  for await (const { id } of log.summaries()) ids.push(id);
  await log.close();
  expect(ids).toEqual(['a', 'b', 'c', 'd']);
  return true;
}

test('[SEAL-1] whatever the crash: the log is whole or absent, there if it was promised, and sealing again heals', async () => {
  const tried = await sweepCrashes({
    prepare: (disk) => disk.makeDir('/logs'),
    act: seal,
    check: async (disk, result) => {
      const isThere = await wholeOrAbsent(disk);
      if (result) expect(isThere).toBe(true);
      const again = await seal(disk);
      expect(again.wasThere).toBe(isThere);
      expect(await wholeOrAbsent(disk.powerCycle())).toBe(true);
    },
    seeds: 3,
  });
  expect(tried).toBeGreaterThan(50);
});

test('[SEAL-2] every sample is there as the best there is of it', async () => {
  const disk = new SimulatedDisk();
  const report = await seal(disk);
  expect(report.plan.counts).toMatchObject({
    completed: 2,
    errored: 1,
    interrupted: 1,
    reused: 0,
    missing: 0,
  });
  expect(report.header.results).toMatchObject({ total_samples: 4, completed_samples: 2 });
  const log = await openLog(disk, LOG);
  expect((await log.sample('c', 1))?.error?.message).toBe('boom');
  expect((await log.sample('d', 1))?.error?.message).toContain('interrupted');
  expect((await log.sample('d', 1))?.events).toHaveLength(1);
  await log.close();
});

test('[SEAL-3] a journal is let go whole: no crash leaves half of one', async () => {
  await sweepCrashes({
    prepare: async (disk) => {
      await disk.makeDir('/state/20260101T000000000-0123456789');
      for (const name of ['journal.db', 'journal.db-wal', 'lock']) {
        const file = await disk.open(`/state/20260101T000000000-0123456789/${name}`, 'create');
        await file.write(new Uint8Array([1, 2, 3]), 0);
        await file.sync();
        await file.close();
      }
      await disk.syncDir('/state/20260101T000000000-0123456789');
    },
    act: (disk) => releaseRun(disk, new StateDir('/state'), '20260101T000000000-0123456789'),
    check: async (disk, result) => {
      const left = (await disk.list('/state/20260101T000000000-0123456789'))?.map(({ name }) => name);
      if (result) expect(left).toBeUndefined();
      if (left) expect(left).toEqual(['journal.db', 'journal.db-wal', 'lock']);
      await sweepReleased(disk, new StateDir('/state'));
      expect(
        (await disk.list('/state'))?.filter(({ name }) => name !== '20260101T000000000-0123456789'),
      ).toEqual([]);
    },
  });
});

describe('a log that stands in the way', () => {
  test('of another run is never overwritten', async () => {
    const disk = new SimulatedDisk();
    await seal(disk);
    const other = await filledJournal(dir.path);
    const before = await disk.read(LOG);
    const sealing = sealOf(disk, other);
    await expect(sealing).rejects.toMatchObject({ code: 'E_LOG_EXISTS' });
    expect(await disk.read(LOG)).toEqual(before);
    other.close();
  });
});

describe('a disk that fails while sealing', () => {
  const faults = [
    { on: 'write', errno: 'ENOSPC', afterBytes: 500 },
    { on: 'write', errno: 'EIO', afterBytes: 100 },
    { on: 'sync', errno: 'EIO' },
    { on: 'link', errno: 'EIO' },
    { on: 'fileRead', errno: 'EIO' },
    { on: 'syncDir', errno: 'EIO' },
  ] as const;

  test.each(faults)(
    '$errno on $on: said, nothing half-written stays, and the next seal succeeds',
    async (fault) => {
      const disk = new SimulatedDisk();
      await disk.makeDir('/logs');
      using faulty = new FaultyDisk(disk, [fault]);
      await expect(seal(faulty)).rejects.toMatchObject({ code: expect.stringMatching(/^E_/) });
      await wholeOrAbsent(disk);
      await seal(disk);
      expect(await wholeOrAbsent(disk)).toBe(true);
      expect((await disk.list('/logs'))?.map(({ name }) => name)).toEqual(['sealed.eval']);
    },
  );
});

test('[SEAL-1] a disk that does not keep what it was given: no log gets its name, and nothing is lost', async () => {
  const disk = new SimulatedDisk();
  await expect(seal(lyingDisk(disk))).rejects.toMatchObject({ code: 'E_SEAL_VERIFY' });
  expect(await disk.stat(LOG)).toBeUndefined();
  await seal(disk);
  expect(await wholeOrAbsent(disk)).toBe(true);
});

describe('a sample that cannot be written holds nothing else hostage', () => {
  test('[SEAL-5] a disk that fails in the middle of a sample is no fault of that sample: nothing is sealed without it', async () => {
    const attempt = journal.startAttempt(sampleStart('e'));
    // Too much for any buffer, and nothing in it repeats.
    attempt.event(infoEvent(randomBytes(4_000_000).toString('base64')));
    await attempt.finish('completed', sampleFields('e'));
    const disk = new SimulatedDisk();
    await disk.makeDir('/logs');
    using faulty = new FaultyDisk(disk, [{ on: 'write', errno: 'ENOSPC', afterBytes: 500_000 }]);
    await expect(seal(faulty)).rejects.toMatchObject({ code: 'E_DISK_FULL' });
    expect(await disk.list('/logs')).toEqual([]);
  });

  test('[SEAL-5] one that does not pass the check: the log with it is set aside, all else is sealed', async () => {
    const attempt = journal.startAttempt(sampleStart('e'));
    const limit = { type: 'no such limit', limit: 1 } as never;
    await attempt.finish('completed', sampleFields('e', { limit }));
    const disk = new SimulatedDisk();
    const report = await seal(disk);
    expect([...report.plan.unwritable.keys()]).toEqual(['e_epoch_1']);
    expect(report.plan.counts).toMatchObject({ completed: 2, errored: 1, interrupted: 1, unwritable: 1 });
    expect([...report.plan.completed]).toEqual(['a_epoch_1', 'b_epoch_1']);
    expect(report.header.status).toBe('error');
    expect(report.aside).toBe(`${LOG}.damaged`);
    expect(await wholeOrAbsent(disk)).toBe(true);
    expect((await disk.stat(`${LOG}.damaged`))?.kind).toBe('file');
  });

  test('[SEAL-5] ones whose rows are damaged: all are named at once, all else is sealed', async () => {
    for (const id of ['e', 'f']) {
      const attempt = journal.startAttempt(sampleStart(id));
      attempt.event(infoEvent(`told by ${id}`));
      await attempt.finish('completed', sampleFields(id));
    }
    const other = new DatabaseSync(join(journal.dir, 'journal.db'));
    other.exec("UPDATE events SET json = replace(json, 'told by', 'tolb by') WHERE json LIKE '%told by%'");
    other.close();
    const disk = new SimulatedDisk();
    const report = await seal(disk);
    expect([...report.plan.unwritable.keys()]).toEqual(['e_epoch_1', 'f_epoch_1']);
    expect(report.aside).toBeUndefined();
    expect(await wholeOrAbsent(disk)).toBe(true);
  });
});
