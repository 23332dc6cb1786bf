import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filledJournal } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { readJournal } from './reader.ts';
import { countUnreadableCommits } from './wal-damage.ts';

test('a whole write-ahead log has nothing unreadable; a flipped bit makes what follows unreadable, and it is counted', async () => {
  await using dir = await makeTempDir();
  const journal = await filledJournal(dir.path);
  const wal = `${journal.path}-wal`;
  const whole = await readFile(wal);
  expect(await countUnreadableCommits(nodeDisk, wal)).toBe(0);
  journal.close();

  const copy = join(dir.path, 'copy.db-wal');
  for (const [at, least] of [
    [40, 2],
    [whole.length - 100, 1],
  ] as const) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await writeFile(copy, damaged);
    expect(await countUnreadableCommits(nodeDisk, copy), `bit flipped at ${at}`).toBeGreaterThanOrEqual(
      least,
    );
  }
  await writeFile(copy, whole.subarray(0, whole.length - 1_000));
  expect(await countUnreadableCommits(nodeDisk, copy), 'a torn end').toBeLessThanOrEqual(1);
  expect(await countUnreadableCommits(nodeDisk, join(dir.path, 'none'))).toBe(0);
});

test('[JRN-3] once a journal was born, no damage to its write-ahead log makes it look as if it never was', async () => {
  await using dir = await makeTempDir();
  const journal = await filledJournal(dir.path);
  const [db, wal] = [await readFile(journal.path), await readFile(`${journal.path}-wal`)];
  journal.close();
  const copy = join(dir.path, 'copy.db');
  await writeFile(copy, db);
  wal[40] = (wal[40] ?? 0) ^ 1;
  await writeFile(`${copy}-wal`, wal);
  const reader = readJournal(copy);
  expect(reader.run().logName).toBe('sealed.eval');
  reader.close();
});
