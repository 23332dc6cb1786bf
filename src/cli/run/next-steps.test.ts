import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActionableError } from '../../base/index.ts';
import { quoteWord } from '../../process/index.ts';
import type { Account } from '../../runner/index.ts';
import { commandText, exitCodeOfSet } from './next-steps.ts';

const ACCOUNT: Account = {
  eval: 'e',
  target: 'mock/echo',
  runId: 'r',
  state: 'done',
  samples: {
    planned: 1,
    kept: 0,
    reused: 0,
    rescored: 0,
    replayed: 0,
    rerun: 0,
    fresh: 1,
    errored: 0,
    remaining: 0,
    lost: 0,
  },
  reusedFrom: [],
  answers: { bought: 1, replayed: 0, lost: 0 },
  usd: {
    spent: 0,
    saved: 0,
    wasted: 0,
    lost: 0,
    unpriced: { spent: 0, saved: 0, wasted: 0 },
    unpricedCalls: 0,
  },
  tokens: { spent: 0, saved: 0, wasted: 0 },
  notes: [],
};

test('a sample that was lost or failed ends with 1, also when the run is done', () => {
  const outcome = (counts: Partial<Account['samples']>) => ({
    missed: [],
    account: { ...ACCOUNT, samples: { ...ACCOUNT.samples, ...counts } },
  });
  expect(exitCodeOfSet([outcome({})], false)).toBe(0);
  expect(exitCodeOfSet([outcome({}), outcome({ lost: 1 })], false)).toBe(1);
  expect(exitCodeOfSet([outcome({ errored: 1 })], false)).toBe(1);
});

test('[JRN-11] what damage cost ends with 3: answers that are lost, and samples that could not be written', () => {
  const outcome = (about: Partial<Account>) => ({ missed: [], account: { ...ACCOUNT, ...about } });
  const lost = outcome({ answers: { ...ACCOUNT.answers, lost: 2 } });
  const unwritable = outcome({ unwritable: [{ sample: 'a_epoch_1', reason: 'it is not whole' }] });
  expect(exitCodeOfSet([outcome({})], false)).toBe(0);
  expect(exitCodeOfSet([outcome({}), lost], false)).toBe(3);
  expect(exitCodeOfSet([unwritable, outcome({})], false)).toBe(3);
});

test('[SEG-6] a log that is not in the bucket ends with 4, and the same command is what to do next', () => {
  const account = { ...ACCOUNT, unshipped: [{ log: 'a.eval', reason: 'it is away' }] };
  expect(exitCodeOfSet([{ missed: [], account }], false)).toBe(4);
});

test.each([
  ['E_DISK_FULL', 4],
  ['E_DISK_IO', 4],
  ['E_BUCKET_AWAY', 4],
  ['E_JOURNAL_VANISHED', 4],
  ['E_LOG_DIR_GONE', 4],
  ['E_REUSED_GONE', 4],
  ['E_WRITER_FENCED', 4],
  ['E_DISK_DENIED', 1],
] as const)('a run that stopped with %s ends with %i', (code, exitCode) => {
  const error = new ActionableError({ code, message: 'What.', hint: 'Do.' });
  const account = { ...ACCOUNT, state: 'failed' as const };
  expect(exitCodeOfSet([{ missed: [], account, error }], false)).toBe(exitCode);
});

test('the command that goes on has the same words, but starts from what is there', () => {
  expect(commandText(['run', 'a b.eval.ts', '--fresh', '-m', 'mock/echo'])).toBe(
    `holdfast run 'a b.eval.ts' -m mock/echo`,
  );
});

test('a shell reads a quoted word back as it was', () => {
  const word = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !text.includes('\0') && text.isWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), (words) => {
      const script = `for w in "$@"; do :; done; printf '%s\\0' ${words.map(quoteWord).join(' ')}`;
      expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(
        words,
      );
    }),
    { numRuns: 30 },
  );
});

test('a text that is redacted is not printed; a pattern is', () => {
  expect(commandText(['run', 'a.eval.ts', '--redact', 'hunter2', '--redact=hunter2'])).toBe(
    "holdfast run a.eval.ts --redact '…' '--redact=…'",
  );
  expect(commandText(['run', 'a.eval.ts', '--redact', '/sk-\\w+/'])).toBe(
    "holdfast run a.eval.ts --redact '/sk-\\w+/'",
  );
});
