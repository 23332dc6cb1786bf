import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filledJournal } from '../../test/sim/journal-fixture.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { createDatabase } from './database.ts';
import { fenceWriter, isFenced } from './fence.ts';
import { journalPath } from './layout.ts';

let dir: TempDir;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(() => dir[Symbol.asyncDispose]());

test('[JRN-13] the fence of a writer whose database is gone is its own, also beside a journal of version 1', async () => {
  const writer = await filledJournal(dir.path);
  writer.close();
  const runDir = dirname(writer.dir);
  createDatabase(journalPath(runDir, ''), 1).close();
  rmSync(writer.reader.path);
  await fenceWriter(nodeDisk, runDir, writer.record.writer);
  expect(isFenced(writer.reader.path)).toBe(true);
  expect(isFenced(journalPath(runDir, ''))).toBe(false);
});

test('[JRN-13] the one writer of version 1 is fenced in the directory of its run', async () => {
  const runDir = join(dir.path, 'run');
  await nodeDisk.makeDir(runDir);
  createDatabase(journalPath(runDir, ''), 1).close();
  await fenceWriter(nodeDisk, runDir, 'its-name');
  expect(isFenced(journalPath(runDir, ''))).toBe(true);
});
