import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moveToAnotherMachine } from '../../test/sim/another-machine.ts';
import {
  filledJournal,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
} from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useLeftRuns } from '../../test/sim/use-recovery.ts';
import type { Bucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type JournalWriter, lockRun } from '../journal/index.ts';
import { openLog, verifyLog } from '../log/index.ts';

const at = useLeftRuns();
const { recover } = at;

/** A journal whose process let go of it without sealing. */
async function left(change?: (journal: JournalWriter) => Promise<void>): Promise<Left> {
  const journal = await filledJournal(at.places.state.path);
  await change?.(journal);
  const { runId } = journal.run;
  journal.close();
  return { runId, dir: join(at.places.state.path, runId), path: join(journal.dir, 'journal.db') };
}

interface Left {
  readonly runId: string;
  readonly dir: string;
  /** The database of its one writer. */
  readonly path: string;
}

describe('a journal that was left', () => {
  test('named by its run: sealed, checked and let go', async () => {
    const run = await left();
    const report = await recover(run.runId);
    expect(report).toMatchObject({
      kind: 'holdfast',
      output: join(at.places.logDir, 'sealed.eval'),
      status: 'error',
      liveness: 'dead',
      counts: { expected: 4, kept: 0, recovered: 3, inFlight: 1, lost: 0 },
      deleted: [run.dir],
      left: [],
      problems: [],
    });
    expect(report.samples).toMatchObject([
      { id: 'a', state: 'completed', from: ['journal'], events: 1 },
      { id: 'b', state: 'completed', from: ['journal'], events: 1 },
      { id: 'c', state: 'errored', from: ['journal'], events: 1 },
      { id: 'd', state: 'in-flight', from: ['journal'], events: 1 },
    ]);
    expect((await verifyLog(nodeDisk, report.output)).problems).toEqual([]);
    expect(await readdir(at.places.state.path)).toEqual([]);
  });

  test.each([
    ['its directory', (run: Left) => run.dir],
    ["its writer's directory", (run: { path: string }) => dirname(run.path)],
    ['its database', (run: { path: string }) => run.path],
  ])('named by %s', async (_, name) => {
    expect((await recover(name(await left()))).counts.recovered).toBe(3);
  });

  test('--keep leaves it', async () => {
    const run = await left();
    expect((await recover(run.runId, { keep: true })).deleted).toEqual([]);
    expect(existsSync(run.dir)).toBe(true);
    expect(await readdir(at.places.state.path)).toEqual([run.runId]);
  });

  test('--no-events leaves the transcripts out', async () => {
    const run = await left();
    const { output } = await recover(run.runId, { noEvents: true });
    const log = await openLog(nodeDisk, output);
    expect((await log.sample('a', 1))?.events).toEqual([]);
    await log.close();
  });

  test('--no-events keeps the journals: only they have the transcripts, also when it is recovered again', async () => {
    const run = await left();
    const report = await recover(run.runId, { noEvents: true });
    expect(report).toMatchObject({ deleted: [], problems: [], counts: { lost: 0 } });
    expect(report.left).toHaveLength(1);
    expect(existsSync(run.path)).toBe(true);
    expect(await recover(run.runId)).toMatchObject({ wasThere: true, deleted: [] });
    expect(existsSync(run.path)).toBe(true);
    const output = join(at.root, 'with-events.eval');
    expect(await recover(run.runId, { output })).toMatchObject({ deleted: [run.dir] });
    const log = await openLog(nodeDisk, output);
    expect((await log.sample('a', 1))?.events).toHaveLength(1);
    await log.close();
  });

  test('in which every sample was completed is a success', async () => {
    const run = { ...runRecord(), planned: 1 };
    const journal = await newWriter(at.places.state.path, run);
    const attempt = journal.startAttempt(sampleStart('a'));
    await attempt.finish('completed', sampleFields('a'));
    journal.close();
    expect((await recover(run.runId)).status).toBe('success');
  });

  test('that is still held by its process is never touched', async () => {
    const journal = await filledJournal(at.places.state.path);
    const { runId } = journal.run;
    await expect(recover(runId, { forceDead: true })).rejects.toMatchObject({ code: 'E_RECOVER_ALIVE' });
    journal.close();
    expect((await recover(runId)).counts.recovered).toBe(3);
  });

  test('whose lock another process holds is refused in one sentence', async () => {
    const run = await left();
    using _ = lockRun(run.dir);
    await expect(recover(run.runId)).rejects.toMatchObject({
      code: 'E_RECOVER_ALIVE',
      message: `${run.runId} is still being written by another process.`,
    });
  });

  test('whose log is there already is only let go', async () => {
    const run = await left();
    await recover(run.runId, { keep: true });
    expect(await recover(run.runId)).toMatchObject({ wasThere: true, deleted: [run.dir] });
  });

  test('of another machine is unknown, and refused unless somebody vouches', async () => {
    const run = await left();
    moveToAnotherMachine(run.dir);
    await expect(recover(run.runId)).rejects.toMatchObject({ code: 'E_RECOVER_UNKNOWN' });
    expect((await recover(run.runId, { forceDead: true })).liveness).toBe('unknown');
  });

  test('that is damaged gives up what can be read, and is left', async () => {
    const run = await left();
    const { path } = run;
    const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
    const db = new DatabaseSync(path);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const page = Number(
      db.prepare("SELECT rootpage AS page FROM sqlite_schema WHERE name = 'events'").get()?.page,
    );
    const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.page_size);
    db.close();
    const bytes = await readFile(path);
    bytes.fill(0x55, pageBytes * (page - 1), pageBytes * page);
    await writeFile(path, bytes);
    const report = await recover(run.runId);
    // All events lay on that page: no sample is whole, and what each had come to is shown with the reason.
    expect(report.counts).toMatchObject({ recovered: 0, inFlight: 4, lost: 0 });
    expect(report.problems.map(({ code }) => code)).toContain('E_JOURNAL_DAMAGED');
    expect(report).toMatchObject({ deleted: [], left: [path] });
    const log = await openLog(nodeDisk, report.output);
    expect((await log.sample('a', 1))?.error?.message).toContain('is damaged');
    await log.close();
    expect(existsSync(path)).toBe(true);
  });
});

describe('segments', () => {
  async function shipped(bucket: Bucket, isEnded = true): Promise<Left> {
    return left(async (journal) => {
      if (isEnded) await journal.end('interrupted');
      const shipper = journal.shipTo({ bucket, prefix: 'runs/' });
      await shipper.ship();
      shipper.stop();
    });
  }

  test('the machine is gone: the run is recovered from the bucket, and the segments go', async () => {
    const bucket = memoryBucket();
    const run = await shipped(bucket);
    await nodeDisk.removeTree(run.dir);
    const report = await recover(run.runId, {
      places: { ...at.places, segments: { bucket, prefix: 'runs/' } },
    });
    expect(report).toMatchObject({ counts: { recovered: 3, inFlight: 1 }, problems: [] });
    expect(report.sources.map(({ kind }) => kind)).toEqual(['segments']);
    const leftKeys: string[] = [];
    for await (const { key } of bucket.list('')) leftKeys.push(key);
    // The log itself is there before they go [SEG-9].
    expect(leftKeys).toEqual(['sealed.eval']);
    expect(await readdir(at.places.state.path)).toEqual([]);
  });

  test('are read whole also when somebody else recovers them in the middle of it', async () => {
    const bucket = memoryBucket();
    const run = await shipped(bucket);
    await nodeDisk.removeTree(run.dir);
    const placesOf = (one: Bucket) => ({ ...at.places, segments: { bucket: one, prefix: 'runs/' } });
    let other: Promise<unknown> | undefined;
    const meeting: Bucket = {
      ...bucket,
      async read(key, signal) {
        const output = join(at.root, 'other.eval');
        other ??= at.recover(run.runId, { places: placesOf(bucket), output, keep: true });
        await other;
        return bucket.read(key, signal);
      },
    };
    const report = await at.recover(run.runId, { places: placesOf(meeting) });
    expect(report).toMatchObject({ counts: { recovered: 3, inFlight: 1 }, problems: [] });
    expect(await other).toMatchObject({ counts: { recovered: 3, inFlight: 1 }, problems: [] });
    expect(await readdir(at.places.state.path)).toEqual([]);
  });

  test('of a process that lives are never touched', async () => {
    const bucket = memoryBucket();
    const run = await shipped(bucket, false);
    await nodeDisk.removeTree(run.dir);
    await expect(
      recover(run.runId, {
        places: { ...at.places, segments: { bucket, prefix: 'runs/' } },
        forceDead: true,
      }),
    ).rejects.toMatchObject({
      code: 'E_RECOVER_ALIVE',
    });
  });

  test('complete a journal that is damaged', async () => {
    const bucket = memoryBucket();
    const run = await shipped(bucket, false);
    const { path } = run;
    await writeFile(path, (await readFile(path)).fill(0x55, 100));
    const report = await recover(run.runId, {
      places: { ...at.places, segments: { bucket, prefix: 'runs/' } },
    });
    expect(report.counts).toMatchObject({ recovered: 3, inFlight: 1 });
    expect(report.sources.map(({ kind }) => kind)).toContain('segments');
    expect(report.deleted).toEqual([]);
  });

  test('a damaged one is said, and the bucket is left as it is', async () => {
    const bucket = memoryBucket();
    const run = await shipped(bucket);
    await nodeDisk.removeTree(run.dir);
    for await (const { key } of bucket.list('')) {
      const bytes = await bucket.read(key);
      const second = key.replace('00000001', '00000002');
      await bucket.remove(second);
      await bucket.create(second, (bytes ?? new Uint8Array()).slice(0, 40));
    }
    const report = await recover(run.runId, {
      places: { ...at.places, segments: { bucket, prefix: 'runs/' } },
    });
    expect(report.problems.map(({ code }) => code)).toContain('E_SEGMENT_DAMAGED');
    expect(report.deleted).toEqual([]);
  });
});

test('a run that is nowhere', async () => {
  await expect(recover('20260101T000000000-nowhere')).rejects.toMatchObject({ code: 'E_RECOVER_NOTHING' });
});
