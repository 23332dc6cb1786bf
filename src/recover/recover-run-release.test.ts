/** What a recovery does with the run itself: who is fenced, and what is let go. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moveToAnotherMachine } from '../../test/sim/another-machine.ts';
import { filledJournal, newWriter, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useLeftRuns } from '../../test/sim/use-recovery.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import type { Bucket } from '../bucket/index.ts';

const at = useLeftRuns();
const { recover } = at;

test('[JRN-13] whoever vouches for the death of a writer fences it, here and in the bucket', async () => {
  const journal = await filledJournal(at.places.state.path);
  journal.close();
  const { runId } = journal.run;
  moveToAnotherMachine(at.places.state.path);
  const bucket = memoryBucket();
  const segments = { bucket, prefix: 'runs/' };
  await recover(runId, { forceDead: true, keep: true, places: { ...at.places, segments } });
  expect(existsSync(join(journal.dir, 'fenced'))).toBe(true);
  expect(await bucket.stat(`runs/${runId}/fenced/${journal.record.writer}`)).toBeDefined();
});

test('[SEAL-5] a log that is there already and holds less lets nothing go', async () => {
  const journal = await filledJournal(at.places.state.path);
  journal.close();
  const { runId } = journal.run;
  await recover(runId, { keep: true });
  const late = await newWriter(at.places.state.path, journal.run, { generation: 2 });
  await late.startAttempt(sampleStart('d')).finish('completed', sampleFields('d'));
  late.close();
  const report = await recover(runId);
  expect(report).toMatchObject({ wasThere: true, deleted: [] });
  expect(report.left).toEqual([journal.reader.path, late.reader.path]);
  expect(existsSync(late.reader.path)).toBe(true);
});

describe('segments of a machine that is gone', () => {
  const PREFIX = 'runs/';

  /** A writer that shipped what it had, from a machine that nobody here can see. */
  async function away(bucket: Bucket) {
    const journal = await filledJournal(join(at.root, 'away'));
    moveToAnotherMachine(join(at.root, 'away'));
    const shipper = journal.shipTo({ bucket, prefix: PREFIX });
    await shipper.ship();
    return { journal, shipper };
  }

  /** The bucket with something that happens right before anything is created there. */
  const beforeCreate = (bucket: Bucket, act: () => Promise<void>): Bucket =>
    withMethods(bucket, {
      create: async (key, bytes) => {
        await act();
        return bucket.create(key, bytes);
      },
    });

  const recoverFrom = (bucket: Bucket, runId: string) =>
    recover(runId, { forceDead: true, places: { ...at.places, segments: { bucket, prefix: PREFIX } } });

  test('[JRN-13] that arrive until its writer meets its fence are recovered as well', async () => {
    const bucket = memoryBucket();
    const { journal, shipper } = await away(bucket);
    const waking = beforeCreate(bucket, async () => {
      if (journal.failure !== undefined) return;
      await journal.startAttempt(sampleStart('e')).finish('completed', sampleFields('e'));
      await shipper.ship();
      journal.fail(new Error('asleep again'));
    });
    const report = await recoverFrom(waking, journal.run.runId);
    journal.close();
    expect(report.samples.map(({ id, state }) => [id, state])).toContainEqual(['e', 'completed']);
    expect(report.problems).toEqual([]);
  });

  test('[SEG-9] nothing is let go when the bucket does not take the log', async () => {
    const bucket = memoryBucket();
    const journal = await filledJournal(at.places.state.path);
    await journal.end('interrupted');
    await journal.shipTo({ bucket, prefix: PREFIX }).ship();
    journal.close();
    const refusing = withMethods(bucket, { createFromFile: () => Promise.reject(new Error('no room')) });
    await expect(recoverFrom(refusing, journal.run.runId)).rejects.toThrow('no room');
    expect(existsSync(journal.reader.path)).toBe(true);
    const report = await recoverFrom(bucket, journal.run.runId);
    expect(report.wasThere).toBe(true);
    expect(existsSync(journal.reader.path)).toBe(false);
    expect(await bucket.stat(journal.run.logName)).toBeDefined();
  });

  test('[JRN-13] of one writer join the journals of another that are here', async () => {
    const bucket = memoryBucket();
    const { journal: far } = await away(bucket);
    far.close();
    const here = await newWriter(at.places.state.path, far.run, { writer: 'here' });
    await here.startAttempt(sampleStart('e')).finish('completed', sampleFields('e'));
    here.close();
    const report = await recoverFrom(bucket, far.run.runId);
    expect(report.counts).toMatchObject({ recovered: 4, inFlight: 1 });
    expect(await bucket.stat(`${PREFIX}${far.run.runId}/fenced/${far.record.writer}`)).toBeDefined();
  });

  test('[SEG-9] that arrive after they were read are not removed', async () => {
    const bucket = memoryBucket();
    const { journal } = await away(bucket);
    journal.close();
    const { runId } = journal.run;
    const late = `${PREFIX}${runId}/segments/${journal.record.writer}/00000099.zst`;
    const report = await recover(runId, {
      forceDead: true,
      places: { ...at.places, segments: { bucket, prefix: PREFIX } },
      onProgress: () => void bucket.create(late, Uint8Array.of(1)),
    });
    expect(report.deleted).toHaveLength(1);
    const keys: string[] = [];
    for await (const { key } of bucket.list(`${PREFIX}${runId}/segments/`)) keys.push(key);
    expect(keys).toEqual([late]);
  });
});
