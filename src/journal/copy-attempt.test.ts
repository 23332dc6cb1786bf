import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { filledJournal, newWriter, runRecord } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { readJournal } from './read-journal.ts';

test('[JRN-10] a damaged attempt is copied without its result, so the copy is not completed', async () => {
  await using dir = await makeTempDir();
  const run = runRecord();
  const one = await filledJournal(dir.path, run);
  one.close();
  const db = new DatabaseSync(one.reader.path);
  db.exec("UPDATE events SET json = json || ' ' WHERE attempt = 1");
  db.close();
  const source = readJournal(one.reader.path);
  const two = await newWriter(dir.path, run, { generation: 2 });
  two.copyFrom(source, [1, 2]);
  source.close();
  expect([...two.reader.outline()].map(({ id, status }) => [id, status])).toEqual([
    ['a', undefined],
    ['b', 'completed'],
  ]);
  expect(two.reader.result(1)).toBeUndefined();
  expect(two.reader.result(2)?.status).toBe('completed');
  two.close();
});
