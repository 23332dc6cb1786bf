import { describe, expect, test } from 'vitest';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { NO_WORK } from '../../test/sim/submitted-work.ts';
import { sharedRunIds } from './find-shared.ts';
import { beginRound, createSubmission } from './rounds.ts';
import { SHARED_VERSION, type Submission } from './shared-records.ts';
import { SharedRun } from './shared-run.ts';
import { yieldToRival } from './yield-to-rival.ts';

/** Two who submit the same, step by step: what each does is up to the test. */
function twoWho() {
  const clock = manualClock();
  const bucket = memoryBucket({ nowMs: () => clock.nowMs() });
  const place = { bucket, prefix: 'p/' };
  const isSame = ({ work }: Submission) => work.eval === NO_WORK.eval;
  const submit = async (run: string, work = NO_WORK) => {
    await createSubmission(place, {
      ...{ format: 'holdfast-submission', version: SHARED_VERSION, run, at: '', by: 'somebody' },
      // These tests have no journals.
      ...{ record: Object.create(null), work, samples: 1, lent: '', builds: [], lostMax: 3 },
    });
    await bucket.create(`p/${run}/lenders/x`, new Uint8Array());
    const shared = await SharedRun.open(place, run);
    if (!shared) throw new Error('it is gone');
    return shared;
  };
  const look = async (shared: SharedRun) => {
    const rival = await yieldToRival(shared, place, { clock, isSame });
    if (!rival) await beginRound(shared, place, { clock, by: 'somebody' });
    return rival?.run;
  };
  /** Looks until nobody waits any more. */
  const settled = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    void work.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(100);
    return await work;
  };
  const keysOf = async (run: string) => {
    const keys: string[] = [];
    for await (const { key } of bucket.list(`p/${run}/`)) keys.push(key);
    return keys;
  };
  return { clock, place, submit, look, settled, keysOf };
}

describe('of two submits of the same at the same moment one goes on', () => {
  test('both see each other: the later id yields, and nothing of it is left anywhere', async () => {
    const { submit, look, settled, keysOf, place, clock } = twoWho();
    const startMs = clock.monotonicMs();
    const [a, b] = [await submit('a'), await submit('b')];
    const [ofA, ofB] = await settled(Promise.all([look(a), look(b)]));
    expect([ofA, ofB]).toEqual([undefined, 'a']);
    // They decide it by their ids, and do not wait until one of them seems dead.
    expect(clock.monotonicMs() - startMs).toBeLessThan(5_000);
    expect(await sharedRunIds(place)).toEqual(['a']);
    expect(await keysOf('b')).toEqual([]);
  });

  test('the later id had looked before the other was there: it goes on, and the other yields', async () => {
    const { submit, look, settled, place } = twoWho();
    const b = await submit('b');
    expect(await settled(look(b))).toBeUndefined();
    expect(await settled(look(await submit('a')))).toBe('b');
    expect(await sharedRunIds(place)).toEqual(['b']);
  });

  test('the later id has looked, and begins its round only then: the other waits for that', async () => {
    const { submit, place, clock, settled, look } = twoWho();
    const b = await submit('b');
    const a = await submit('a');
    const waiting = look(a);
    await clock.advance(1_000);
    await beginRound(b, place, { clock, by: 'somebody' });
    expect(await settled(waiting)).toBe('b');
  });

  test('one that died before its round is not waited for, and another eval is no rival', async () => {
    const { submit, look, settled, clock } = twoWho();
    const startMs = clock.monotonicMs();
    await submit('0', { ...NO_WORK, eval: 'another' });
    expect(await settled(look(await submit('5')))).toBeUndefined();
    await submit('9');
    expect(clock.monotonicMs() - startMs).toBeLessThan(10_000);
    expect(await settled(look(await submit('4')))).toBe('5');
  });

  test('a dead one with a later id keeps nobody for longer than ten seconds', async () => {
    const { submit, look, settled, place } = twoWho();
    await submit('b');
    expect(await settled(look(await submit('a')))).toBeUndefined();
    expect(await sharedRunIds(place)).toEqual(['b', 'a']);
  });
});
