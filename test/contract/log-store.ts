import { describe, expect, test } from 'vitest';
import { DamageError } from '../../src/base/index.ts';
import type { CreatedLog, LogFile, LogStore, VerifyReport } from '../../src/log/index.ts';
import { fillFixtureLog, fixtureFields } from '../sim/log-fixture.ts';

export interface LogStoreUnderTest extends AsyncDisposable {
  readonly store: LogStore;
  /** Puts something into the store that is no log, by a name. */
  putForeign(name: string): Promise<void>;
  /** Puts nothing there, by a name: what a crash can leave of a log. */
  putEmpty(name: string): Promise<void>;
  /** Takes some bytes off the end of a log. */
  cut(name: string, bytes: number): Promise<void>;
  /** Everything that is there, temporaries and all. */
  names(): Promise<readonly string[]>;
  bytesRead(): number;
}

/** What every LogStore promises. `make` gives a new, empty one. */
export function logStoreContract(name: string, make: () => Promise<LogStoreUnderTest>): void {
  describe(`${name} is a LogStore`, () => {
    test('[STORE-1] list gives every log in order, and nothing else', async () => {
      await using under = await make();
      const { store } = under;
      expect(await namesIn(store)).toEqual([]);
      for (const log of ['b.eval', 'a-b.eval', 'a.eval', 'B.eval', 'ä.eval']) await create(store, log);
      for (const other of ['notes.json', 'a.eval.damaged', '.hidden.eval', 'a.txt', 'a.eval.new'])
        await under.putForeign(other);
      expect(await namesIn(store)).toEqual(['B.eval', 'a-b.eval', 'a.eval', 'b.eval', 'ä.eval']);
      for await (const { name: log, sizeBytes } of store.list())
        expect(await store.stat(log)).toMatchObject({ name: log, sizeBytes });
    });

    test('[STORE-1] a listing that is no longer wanted ends', async () => {
      await using under = await make();
      await create(under.store, 'a.eval');
      const reason = new Error('enough');
      await expect(Array.fromAsync(under.store.list(AbortSignal.abort(reason)))).rejects.toBe(reason);
    });

    test('[STORE-2] open gives a reader, or undefined when there is no such log', async () => {
      await using under = await make();
      const { store } = under;
      expect(await store.open('a.eval')).toBeUndefined();
      expect(await store.stat('a.eval')).toBeUndefined();
      await create(store, 'a.eval');
      const log = await store.open('a.eval');
      expect(await log?.samples()).toEqual([{ id: 1, epoch: 1 }]);
      expect(log?.path).toBe(store.placeOf('a.eval'));
      await log?.close();
    });

    test('[STORE-5] verify reads all of a log, and tells what cannot even be opened as damaged', async () => {
      await using under = await make();
      const { store } = under;
      expect(await store.verify('a.eval')).toBeUndefined();
      await create(store, 'a.eval');
      expect(await store.verify('a.eval')).toMatchObject({
        path: store.placeOf('a.eval'),
        isWhole: true,
        samples: 1,
      });
      await under.putEmpty('b.eval');
      expect(await store.verify('b.eval')).toMatchObject({
        isWhole: false,
        problems: [{ code: 'E_LOG_EMPTY' }],
      });
    });

    test('[STORE-6] openTorn gives what is whole of a log without its end', async () => {
      await using under = await make();
      const { store } = under;
      await create(store, 'a.eval');
      expect(await store.openTorn('b.eval')).toBeUndefined();
      await under.cut('a.eval', 30);
      await expect(store.open('a.eval')).rejects.toMatchObject({ code: 'E_LOG_TORN' });
      const log = await store.openTorn('a.eval');
      expect(await log?.samples()).toEqual([{ id: 1, epoch: 1 }]);
      expect((await log?.header())?.status).toBe('success');
      await log?.close();
      await under.putEmpty('b.eval');
      expect(await store.openTorn('b.eval')).toBeUndefined();
    });

    test('[STORE-2] a header is read without reading the log', async () => {
      await using under = await make();
      await create(under.store, 'a.eval', (file) => fillFixtureLog(file, { samples: [heavySample()] }));
      const size = (await under.store.stat('a.eval'))?.sizeBytes ?? 0;
      expect(size).toBeGreaterThan(3_000_000);
      const before = under.bytesRead();
      const log = await under.store.open('a.eval');
      expect((await log?.header())?.status).toBe('success');
      await log?.close();
      expect(under.bytesRead() - before).toBeLessThan(size / 3);
    });

    test('[STORE-3] create says what was written, and what reading it back showed', async () => {
      await using under = await make();
      const made = await under.store.create('a.eval', {
        write: async (file) => {
          await fillFixtureLog(file);
          return 'written';
        },
      });
      expect(made).toMatchObject({
        outcome: 'created',
        place: under.store.placeOf('a.eval'),
        written: 'written',
        report: { isWhole: true, samples: 1, path: under.store.placeOf('a.eval') },
      });
      expect(await under.names()).toEqual(['a.eval']);
    });

    test('[STORE-3] create never overwrites, and does not even write', async () => {
      await using under = await make();
      await create(under.store, 'a.eval');
      const before = await under.store.stat('a.eval');
      const again = await under.store.create('a.eval', {
        write: () => Promise.reject(new Error('it is not asked')),
      });
      expect(again).toEqual({ outcome: 'exists', place: under.store.placeOf('a.eval') });
      expect(await under.store.stat('a.eval')).toEqual(before);
    });

    test('[STORE-3] of two that create one log at once, one wins and the other is told', async () => {
      await using under = await make();
      const both = await Promise.all([create(under.store, 'a.eval'), create(under.store, 'a.eval')]);
      expect(both.map(({ outcome }) => outcome).sort()).toEqual(['created', 'exists']);
      expect(await under.names()).toEqual(['a.eval']);
    });

    test('[STORE-3] replacing a log puts the new one in its place', async () => {
      await using under = await make();
      await create(under.store, 'a.eval');
      const made = await under.store.create('a.eval', {
        write: (file) => fillFixtureLog(file, { header: { status: 'cancelled' } }),
        replace: true,
      });
      expect(made.outcome).toBe('created');
      const log = await under.store.open('a.eval');
      expect((await log?.header())?.status).toBe('cancelled');
      await log?.close();
      expect(await under.names()).toEqual(['a.eval']);
    });

    test('[STORE-3] a log that does not read back is refused, and nothing is left of it', async () => {
      await using under = await make();
      const making = create(under.store, 'a.eval', writeWrong);
      await expect(making).rejects.toMatchObject({ code: 'E_LOG_NOT_WHOLE' });
      await expect(making).rejects.toThrow(/status is "done"/);
      expect(await under.names()).toEqual([]);
    });

    test('[STORE-3] whoever writes a log may judge otherwise: throw, commit, or set it aside', async () => {
      await using under = await make();
      const { store } = under;
      const seen: VerifyReport[] = [];
      const judged = (judge: (report: VerifyReport) => 'commit' | 'set aside') =>
        store.create('a.eval', {
          write: writeWrong,
          judge: (report) => {
            seen.push(report);
            return judge(report);
          },
        });
      const refusal = new Error('no');
      await expect(
        judged(() => {
          throw refusal;
        }),
      ).rejects.toBe(refusal);
      for (let times = 0; times < 2; times++) {
        expect(await judged(() => 'set aside')).toMatchObject({
          outcome: 'set aside',
          place: `${store.placeOf('a.eval')}.damaged`,
        });
      }
      expect(await namesIn(store)).toEqual([]);
      expect(await under.names()).toEqual(['a.eval.damaged']);
      expect(await judged(() => 'commit')).toMatchObject({ outcome: 'created' });
      expect(await namesIn(store)).toEqual(['a.eval']);
      for (const report of seen) expect(report.problems).toMatchObject([{ code: 'shape' }]);
    });

    test('[STORE-3] a failure while writing is told, and leaves nothing', async () => {
      await using under = await make();
      const failure = new DamageError({ code: 'E_LOG_SHAPE', message: 'broken', hint: 'none' });
      const write = async (file: LogFile) => {
        await file.writeJson('header.json', {});
        throw failure;
      };
      await expect(under.store.create('a.eval', { write })).rejects.toBe(failure);
      expect(await under.names()).toEqual([]);
    });

    test.each(['', 'a/b.eval', '../a.eval', '.a.eval', 'a\0.eval'])('%j is no name of a log', async (bad) => {
      await using under = await make();
      await expect(async () => create(under.store, bad)).rejects.toMatchObject({ code: 'E_LOG_NAME' });
      expect(() => under.store.placeOf(bad)).toThrow();
    });

    test('a name says its form', async () => {
      await using under = await make();
      await expect(async () => create(under.store, 'a.txt')).rejects.toMatchObject({ code: 'E_LOG_FORM' });
    });
  });
}

function create(
  store: LogStore,
  name: string,
  write: (file: LogFile) => Promise<void> = fillFixtureLog,
): Promise<CreatedLog<void>> {
  return store.create(name, { write });
}

/** A word in the header that nobody knows. */
function writeWrong(file: LogFile): Promise<void> {
  return fillFixtureLog(file, { header: { status: 'done' as 'success' } });
}

async function namesIn(store: LogStore): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of store.list()) names.push(name);
  return names;
}

/** Larger than what one read ahead brings, and not compressible. */
function heavySample() {
  let state = 1;
  const text = Array.from({ length: 4_000_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return String.fromCharCode(33 + ((state >>> 24) % 90));
  }).join('');
  return { fields: fixtureFields(1, { metadata: { text } }), events: [] };
}
