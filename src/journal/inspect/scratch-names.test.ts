/** Copies of buffers may be large: whoever comes next must be able to tell whether their process is alive. */
import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fillBuffer, madeEvent } from '../../../test/sim/inspect-buffer.ts';
import { makeTempDir, type TempDir } from '../../../test/sim/temp-dir.ts';
import { type Clock, systemClock } from '../../base/index.ts';
import { directoryBucket } from '../../bucket/index.ts';
import { nodeDisk, sweepTemps } from '../../disk/index.ts';
import type { BufferReader } from './buffer-reader.ts';
import { openBufferDatabase } from './open-buffer-database.ts';
import { spoolFilestore } from './spool-filestore.ts';

let dir: TempDir;
let scratchDir: string;
beforeEach(async () => {
  dir = await makeTempDir();
  scratchDir = join(dir.path, 'scratch');
  await nodeDisk.makeDir(scratchDir);
});
afterEach(() => dir[Symbol.asyncDispose]());

const NEXT_YEAR: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 365 * 86_400_000 };

/** While it is open nobody sweeps it, whatever its age; when it is closed nothing is left. */
async function expectOwned(reader: BufferReader): Promise<void> {
  expect(await readdir(scratchDir)).toHaveLength(1);
  expect(await sweepTemps(nodeDisk, scratchDir, { clock: NEXT_YEAR })).toEqual([]);
  await reader.close();
  expect(await readdir(scratchDir)).toEqual([]);
}

/** A database in the middle of a transaction that must be rolled back before it can be read. */
async function interruptedDatabase(): Promise<string> {
  const made = join(dir.path, 'made.db');
  using db = new DatabaseSync(made);
  fillBuffer(db, { samples: [], events: [{ event: madeEvent('info') }] });
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; CREATE TABLE filler (text TEXT); BEGIN');
  for (let n = 0; n < 200; n++) db.prepare('INSERT INTO filler VALUES (?)').run('x'.repeat(2_000));
  db.exec("UPDATE events SET data = 'never committed'");
  for (let n = 0; n < 200; n++) db.prepare('INSERT INTO filler VALUES (?)').run('x'.repeat(2_000));
  const path = join(dir.path, 'log.eval.1.db');
  await copyFile(made, path);
  await copyFile(`${made}-journal`, `${path}-journal`);
  db.exec('ROLLBACK');
  return path;
}

test('[STORE-4] a copy of a database is its process’s own until it is closed', async () => {
  const reader = await openBufferDatabase(nodeDisk, await interruptedDatabase(), { scratchDir });
  expect(reader.event(1)).toMatchObject({ tag: 'info' });
  await expectOwned(reader);
});

test('[STORE-4] what is made of a filestore is its process’s own until it is closed', async () => {
  const filestore = {
    bucket: directoryBucket(nodeDisk, dir.path),
    prefix: 'buffer/',
    place: 'buffer',
    manifest: undefined,
    segments: [],
    keys: [],
    modifiedMs: 0,
    problems: [],
  };
  await expectOwned(await spoolFilestore(nodeDisk, filestore, { scratchDir }));
});
