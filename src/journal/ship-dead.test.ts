import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filledJournal } from '../../test/sim/journal-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { importWriter } from './import-writer.ts';
import { listSegmentsOf, segmentCount } from './list-segments.ts';
import { openRunJournals } from './run-journals.ts';
import { shipDead } from './ship-dead.ts';

const dir = useTempDir();

test('what a dead writer had not sent is sent for it, after what it had; one that lives is left alone', async () => {
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const place = { bucket, prefix: '' };
  const writer = await filledJournal(join(dir.path, 'run'));
  const of = { ...place, run: writer.run.runId, writer: writer.record.writer };
  const count = async () => {
    const chains = await listSegmentsOf(of.writer, of);
    return chains && segmentCount(chains);
  };
  const { path } = writer.reader;
  const attempts = [...writer.reader.outline()].length;
  expect(attempts).toBeGreaterThan(0);
  expect(await shipDead(path, { ...place, clock: systemClock })).toBe(false);
  expect(await count()).toBe(undefined);
  writer.close();
  expect(await shipDead(path, { ...place, clock: systemClock })).toBe(true);
  const first = await count();
  // Again, as after a restart: what is there is taken for what it is.
  expect(await shipDead(path, { ...place, clock: systemClock })).toBe(true);
  expect(await count()).toBe(first);
  const home = join(dir.path, 'home');
  expect(await importWriter({ disk: nodeDisk, ...of, runDir: home })).toMatchObject({ problems: [] });
  const journals = await openRunJournals({ disk: nodeDisk, runDir: home });
  expect([...journals.outline()]).toHaveLength(attempts);
  journals.close();
});
