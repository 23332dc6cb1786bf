import { expect, test } from 'vitest';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { ActionableError, type ErrorCode, UsageError } from '../base/index.ts';
import { isMistake, Mistakes } from './mistakes.ts';
import { SharedKeys } from './shared-keys.ts';
import { decodeShared } from './shared-records.ts';
import { SILENCE_MS, SignsOfLife } from './signs-of-life.ts';

const RUN = 'run';
const throws = usage('E_EVAL_THROWS', 'The file throws: sk-secret is no number.');

function usage(code: ErrorCode, message = 'No.'): UsageError {
  return new UsageError({ code, message, hint: 'Give a number, not sk-secret.' });
}

/** Workers that give signs of life, and one of them that met a mistake. */
async function workers(...names: readonly string[]) {
  const clock = manualClock();
  const place = { bucket: memoryBucket({ nowMs: () => clock.nowMs() }), prefix: '' };
  const signs = new Map(
    names.map((worker) => [worker, new SignsOfLife(place, { worker, clock, slots: 1 })] as const),
  );
  for (const one of signs.values()) await one.give();
  const of = (worker: string) => {
    const found = signs.get(worker);
    if (!found) throw new Error(`there is no ${worker}`);
    return found;
  };
  return {
    ...{ clock, of },
    async refuse(worker: string, round = 1) {
      of(worker).refuse(RUN, 'no', round);
      await of(worker).give();
    },
    /** What `worker` says that it met while it opened the run. */
    async met(worker: string, round = 1) {
      of(worker).refuse(RUN, throws.message, round);
      const mistakes = new Mistakes({
        ...{ place, clock, signs: of(worker), by: worker, signal: new AbortController().signal },
        redact: (text) => text.replaceAll('sk-secret', '***'),
      });
      return await mistakes.cancelIfAll({ run: RUN, round }, throws);
    },
    async cancelled(round = 1) {
      const key = new SharedKeys('', RUN).cancelled(round);
      const bytes = await place.bucket.read(key);
      return bytes && decodeShared('cancelled', bytes, key);
    },
  };
}

test('[SHR-25] what a run of one machine refuses is a mistake; what one machine lacks is none', () => {
  const mistakes = [
    'E_MODEL_NONE',
    'E_MODEL_UNKNOWN',
    'E_EVAL_THROWS',
    'E_DATA_FILE',
    'E_WORKER_DIFFERS',
  ] as const;
  for (const code of mistakes) expect([code, isMistake(usage(code))]).toEqual([code, true]);
  const lacking = [
    ...(['E_MODEL_KEY', 'E_WORKER_KEY', 'E_COMMAND_NOT_FOUND', 'E_PROVIDER_MISSING'] as const),
    ...(['E_BUCKET_NONE', 'E_SHARED_REMOVED'] as const),
  ];
  for (const code of lacking) expect([code, isMistake(usage(code))]).toEqual([code, false]);
  const full = new ActionableError({ code: 'E_DISK_FULL', message: 'No.', hint: 'Make room.' });
  expect([isMistake(full), isMistake(new Error('the process ended'))]).toEqual([false, false]);
});

test('[SHR-25] a mistake that was met while a run was opened cancels the round when the last worker that is there refuses it, redacted', async () => {
  const all = await workers('a', 'b', 'c');
  expect(await all.met('a')).toBe(false);
  await all.refuse('b');
  expect([await all.met('a'), await all.cancelled()]).toEqual([false, undefined]);
  expect(await all.met('c')).toBe(true);
  expect(await all.cancelled()).toMatchObject({
    ...{ by: 'c', because: 'mistake', letsFinish: true, code: 'E_EVAL_THROWS' },
    ...{ reason: 'The file throws: *** is no number.', hint: 'Give a number, not ***.' },
  });
});

test('[SHR-25] who ended, and who fell silent, keeps nobody from saying that a run cannot be done', async () => {
  const all = await workers('a', 'ended', 'silent');
  await all.of('ended').stop();
  expect(await all.met('a')).toBe(false);
  await all.clock.advance(SILENCE_MS + 1);
  expect(await all.met('a')).toBe(true);
});

test('[SHR-25] what was refused in an earlier round says nothing of this one', async () => {
  const all = await workers('a', 'b');
  await all.refuse('b', 1);
  expect([await all.met('a', 2), await all.cancelled(2)]).toEqual([false, undefined]);
  await all.refuse('b', 2);
  expect(await all.met('a', 2)).toBe(true);
});
