import { copyFile, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import {
  fillBuffer,
  madeSample,
  modelEvent,
  placeCrashedLog,
  placeDatabase,
  user,
} from '../../test/sim/inspect-buffer.ts';
import { useCrashedEval } from '../../test/sim/use-recovery.ts';
import type { JsonObject } from '../base/index.ts';

const at = useCrashedEval();
const { recover } = at;

const row = (id: number, more: JsonObject = {}): { readonly summary: JsonObject } => ({
  summary: { id, epoch: 1, input: `question ${id}`, target: 'yes', metadata: {}, completed: false, ...more },
});
const doneRow = (id: number) =>
  row(id, {
    completed: true,
    completed_at: '2026-01-02T03:05:00+00:00',
    started_at: '2026-01-02T03:04:00+00:00',
    scores: { match: { value: 'C' } },
    uuid: `buffered-${id}`,
  });
const talk = (sample: number) => ({
  sample: String(sample),
  epoch: 1,
  event: modelEvent({ input: [user(`question ${sample}`)], answer: 'yes' }),
});

describe('a buffer database that is gone while its write-ahead log is there', () => {
  /** Everything is in the log: nothing was moved into the database yet. */
  async function onlyLog(): Promise<string> {
    await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]] });
    const path = await placeDatabase(at, {});
    await rm(path);
    const db = new DatabaseSync(path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;');
    fillBuffer(db, { samples: [doneRow(3), row(4)], events: [talk(3), talk(4)] });
    await copyFile(`${path}-wal`, `${path}-wal.kept`);
    db.close();
    await rm(path);
    await rename(`${path}-wal.kept`, `${path}-wal`);
    return path;
  }

  test('what the log holds is recovered and said, and nothing is deleted', async () => {
    const path = await onlyLog();
    const before = await readFile(`${path}-wal`);
    for (const log of [at.log, `${path}-wal`, path]) {
      const report = await recover({ log, output: join(at.logDir, `out-${log.length}.eval`) });
      expect(report.counts).toMatchObject({ recovered: 1, inFlight: 1, lost: 0 });
      const problem = report.problems.find(({ code }) => code === 'E_BUFFER_DAMAGED');
      expect(problem?.message).toContain('is gone');
      expect(report.left).toEqual([path]);
      expect((await readFile(`${path}-wal`)).equals(before)).toBe(true);
    }
  });

  test('it is named also when nothing can be read of it', async () => {
    const path = await onlyLog();
    await writeFile(`${path}-wal`, Buffer.alloc(9_000, 'garbage'));
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 2, recovered: 0 });
    expect(report.problems).toMatchObject([{ code: 'E_BUFFER_DAMAGED' }]);
    expect(report.left).toEqual([path]);
  });

  test('an empty log beside nothing says nothing', async () => {
    const path = await onlyLog();
    await truncate(`${path}-wal`, 0);
    expect((await recover({ forceDead: true })).problems).toEqual([]);
  });
});
