import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { filledJournal, newWriter } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { createDatabase } from './database.ts';
import { readJournal } from './read-journal.ts';
import { openRunJournals } from './run-journals.ts';

test('[JRN-2] a journal that is there is never begun again, also when nobody holds it', async () => {
  await using dir = await makeTempDir();
  const first = await filledJournal(dir.path);
  first.close();
  const again = newWriter(dir.path, first.run, { writer: first.record.writer });
  await expect(again).rejects.toMatchObject({ code: 'E_JOURNAL_BUSY' });
  const reader = readJournal(first.reader.path);
  expect([...reader.outline()].map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
  expect(reader.damage().sentences).toEqual([]);
  reader.close();
});

test('[JRN-3] a journal that was never begun is no damage to those beside it', async () => {
  await using dir = await makeTempDir();
  const first = await filledJournal(dir.path);
  first.close();
  const runDir = dirname(first.dir);
  await nodeDisk.makeDir(join(runDir, 'shell'));
  createDatabase(join(runDir, 'shell', 'journal.db')).close();
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  expect(journals.readers).toHaveLength(1);
  expect(journals.damage.sentences).toEqual([]);
  journals.close();
});
