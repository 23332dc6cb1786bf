import { renameSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  filledJournal,
  newWriter,
  runRecord,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { readJournal } from './read-journal.ts';

let dir: TempDir;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(() => dir[Symbol.asyncDispose]());

test('[JRN-13] a directory that cannot be asked for any more stops its writer within a second, as one that is gone does', async () => {
  const writer = await filledJournal(dir.path);
  renameSync(writer.dir, `${writer.dir}.moved`);
  // A link that leads to itself: the system answers neither "there" nor "not there".
  symlinkSync(writer.dir, writer.dir);
  for (let ms = 0; ms < 1_000 && writer.failure === undefined; ms += 20) await systemClock.sleep(20);
  expect(writer.failure).toMatchObject({ code: 'ELOOP' });
  await expect(writer.flush()).rejects.toBe(writer.failure);
  writer.close();
});

test('[JRN-11] a price that is no number does not cost the mark', async () => {
  const writer = await newWriter(dir.path, runRecord());
  const attempt = writer.startAttempt(sampleStart('a'));
  for (const [index, costUsd] of [0.25, Number.NaN, Number.POSITIVE_INFINITY].entries())
    await attempt.answer({ ...someAnswer('yes', index), costUsd }, []);
  writer.close();
  const reader = readJournal(writer.reader.path);
  expect(reader.damage().sentences).toEqual([]);
  reader.close();
});
