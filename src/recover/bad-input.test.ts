import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import {
  LOG_NAME,
  madeEvent,
  madeSample,
  placeCrashedLog,
  placeDatabase,
  placeFilestore,
  segmentEvent,
} from '../../test/sim/inspect-buffer.ts';
import { lyingDisk } from '../../test/sim/lying-disk.ts';
import { runPlaces, useCrashedEval } from '../../test/sim/use-recovery.ts';
import { nodeDisk } from '../disk/index.ts';
import { createLogFile } from '../log/index.ts';
import type { RecoverOptions } from './index.ts';

const at = useCrashedEval({ forceDead: true });
const { recover } = at;

/** Refused with this code, and nothing is there that was not there before. */
async function refused(code: string, more: Partial<RecoverOptions> = {}) {
  const before = await readdir(at.logDir);
  await expect(recover(more)).rejects.toMatchObject({ code, hint: expect.stringMatching(/\.$/) });
  expect(await readdir(at.logDir)).toEqual(before);
}

test('nothing there: no log, no buffer', () => refused('E_RECOVER_NOTHING'));

test('a finished log', async () => {
  await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  const { output } = await recover();
  await refused('E_RECOVER_FINISHED', { log: output });
});

test('a ZIP that is no log', async () => {
  const file = await createLogFile(nodeDisk, at.log);
  await file.writeJson('readme.json', {});
  await file.finish();
  await refused('E_LOG_FOREIGN');
});

test('text that is no log', async () => {
  await writeFile(at.log, 'hello');
  await refused('E_LOG_FOREIGN');
});

test('a directory', () => refused('E_RECOVER_DIRECTORY', { log: at.logDir }));

test('an empty file', async () => {
  await writeFile(at.log, '');
  await refused('E_RECOVER_HOPELESS');
});

test('a torn file of which nothing is whole', async () => {
  await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  await writeFile(at.log, (await readFile(at.log)).subarray(0, 50));
  await refused('E_RECOVER_HOPELESS');
});

describe('a database', () => {
  const named = () => join(at.logDir, `${LOG_NAME}.123456789.db`);
  const foreign = (path: string) => {
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE bookmarks (url TEXT)');
    db.close();
  };

  test('of another program', async () => {
    foreign(named());
    await refused('E_BUFFER_FOREIGN', { log: named() });
  });

  test('that is no database', async () => {
    await writeFile(named(), 'hello, this is no database');
    await refused('E_BUFFER_FOREIGN', { log: named() });
  });

  test('that is empty, with a WAL that SQLite would throw away', async () => {
    await writeFile(named(), '');
    await writeFile(`${named()}-wal`, 'rows');
    await refused('E_BUFFER_EMPTY', { log: named() });
    expect(await readFile(`${named()}-wal`, 'utf8')).toBe('rows');
  });

  test('whose first page is damaged', async () => {
    const path = await placeDatabase(at, { samples: [] });
    const bytes = await readFile(path);
    bytes.fill(0xff, 100, 2000);
    await writeFile(named(), bytes);
    await refused('E_BUFFER_DAMAGED', { log: named() });
  });

  test('that cannot be read is left where it is, and what the log holds is recovered without it', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
    const path = await placeDatabase(at, { samples: [] });
    await rm(path);
    foreign(path);
    const report = await recover();
    expect(report.problems.map(({ code }) => code)).toEqual(['E_BUFFER_FOREIGN']);
    expect(report).toMatchObject({ counts: { kept: 1 }, deleted: [], left: [path] });
    expect((await readFile(path)).length).toBeGreaterThan(0);
  });

  test('with pages that are damaged gives up its other rows, and is left', async () => {
    await placeCrashedLog(at.log);
    const events = Array.from({ length: 400 }, (_, n) => ({
      event: madeEvent('info', { data: `${n} `.repeat(200) }),
    }));
    const summary = { id: 1, epoch: 1, input: 'q', target: '', metadata: {}, completed: false };
    const path = await placeDatabase(at, { samples: [{ summary }], events });
    const bytes = await readFile(path);
    bytes.fill(0, 4096 * 60, 4096 * 61);
    await writeFile(path, bytes);
    const report = await recover();
    expect(report.counts.inFlight).toBe(1);
    expect(report.samples[0]?.events).toBeGreaterThan(0);
    expect(report.problems.length).toBeGreaterThan(0);
    expect(report).toMatchObject({ deleted: [], left: [path] });
    await expect(recover({ log: report.output })).rejects.toMatchObject({ code: 'E_RECOVER_FINISHED' });
  });
});

describe('a filestore', () => {
  test('whose manifest is no JSON and that has no segments', async () => {
    await placeFilestore(at.logDir, { manifest: 'nonsense', segments: {} });
    await refused('E_RECOVER_HOPELESS');
  });

  test('whose segment is no ZIP and that has no manifest', async () => {
    const folder = await placeFilestore(at.logDir, { segments: {} });
    await writeFile(join(folder, 'segment.1.zip'), 'no zip');
    await refused('E_RECOVER_HOPELESS');
  });
});

describe('a member that unfolds to gigabytes', () => {
  test('in a segment is refused, and the others are read', async () => {
    await placeCrashedLog(at.log);
    const info = (row: number, sample: string) => segmentEvent(row, madeEvent('info', { data: row }), sample);
    const folder = await placeFilestore(at.logDir, {
      segments: { 1: { '1_1.json': { events: [info(1, '1')] }, '2_1.json': { events: [info(2, '2')] } } },
    });
    await pretendHuge(join(folder, 'segment.1.zip'), '1_1.json');
    const report = await recover();
    expect(report.samples.map(({ id }) => id)).toEqual([2]);
    expect(report.problems.some(({ message }) => message.includes('times its size'))).toBe(true);
  });

  test('in a log is refused, and the others are kept', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]] });
    await pretendHuge(at.log, 'samples/1_epoch_1.json');
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 1, lost: 1 });
    expect(report.problems.map(({ code }) => code)).toContain('E_LOG_TOO_LARGE');
  });
});

describe('a disk', () => {
  test('that is read-only', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
    using disk = new FaultyDisk(nodeDisk, [{ on: 'open', errno: 'EROFS', at: /\.tmp$/ }]);
    await refused('E_DISK_DENIED', { disk });
  });

  test.each([
    { on: 'write', errno: 'ENOSPC', afterBytes: 300, at: /\.tmp$/ },
    { on: 'sync', errno: 'EIO', at: /\.tmp$/ },
    { on: 'link', errno: 'EIO' },
  ] as const)(
    'with $errno on $on: nothing half-written stays, the sources stay, and the next recovery succeeds',
    async (fault) => {
      await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
      const path = await placeDatabase(at, {});
      using disk = new FaultyDisk(nodeDisk, [fault]);
      await refused(fault.errno === 'ENOSPC' ? 'E_DISK_FULL' : 'E_DISK_IO', { disk });
      expect((await readFile(path)).length).toBeGreaterThan(0);
      expect((await recover()).counts.kept).toBe(1);
    },
  );
});

test('a disk that does not keep what it was given: nothing gets a name, and the sources stay', async () => {
  await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  const path = await placeDatabase(at, {});
  await refused('E_RECOVER_VERIFY', { disk: lyingDisk(nodeDisk) });
  expect((await readFile(path)).length).toBeGreaterThan(0);
});

test('a run id that is a path is looked for nowhere', async () => {
  const places = runPlaces(at.logDir);
  await refused('E_RECOVER_NOTHING', { log: join(at.logDir, '..', 'etc', 'passwd'), places });
});

/** Makes the directory of a ZIP promise four gigabytes for a member. */
async function pretendHuge(path: string, member: string): Promise<void> {
  const bytes = await readFile(path);
  const name = bytes.lastIndexOf(member);
  bytes.writeUInt32LE(0xffff_fffe, name - 46 + 24);
  await writeFile(path, bytes);
}
