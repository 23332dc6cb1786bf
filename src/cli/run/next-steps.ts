import { relative } from 'node:path';
import { quoteWord } from '../../process/index.ts';
import type { Account, ItemOutcome } from '../../runner/index.ts';
import { EXIT, type ExitCode, exitCodeOfRun } from '../exit-code.ts';

/** What the whole set ends with. Being told to stop comes first: whatever else happened, the same command goes on. */
export function exitCodeOfSet(
  outcomes: readonly Pick<ItemOutcome, 'account' | 'error' | 'missed'>[],
  wasStopped: boolean,
): ExitCode {
  const states = outcomes.map(({ account }) => account?.state);
  if (wasStopped && states.some((state) => state !== 'done')) return EXIT.interrupted;
  const failed = outcomes.find(({ error }) => error !== undefined);
  if (failed) return exitCodeOfRun(failed.error);
  if (states.some((state) => state === 'interrupted' || state === 'budget')) return EXIT.interrupted;
  // With the machine such a log would be lost, so nobody may take the run for finished.
  if (outcomes.some(({ account }) => account?.unshipped)) return EXIT.interrupted;
  // What was bought again because a journal was damaged is never passed over in silence.
  if (outcomes.some(({ account }) => account && isDamaged(account))) return EXIT.damage;
  const isShort = outcomes.some(({ account, missed }) => {
    const { errored = 0, lost = 0 } = account?.samples ?? {};
    return missed.length > 0 || account?.state === 'failed' || errored > 0 || lost > 0;
  });
  return isShort ? EXIT.failed : EXIT.ok;
}

/** Damage counts when something had to be run, too: who finds all that he wants in other places has lost nothing. */
function isDamaged({ answers, samples, unwritable = [], damage = [] }: Account): boolean {
  const ran = samples.fresh + samples.rerun + samples.replayed;
  return answers.lost > 0 || unwritable.length > 0 || (damage.length > 0 && ran > 0);
}

/** Sentences about what can be done next, each with its command. */
export function nextSteps(
  outcomes: readonly ItemOutcome[],
  about: { readonly words: readonly string[]; readonly logDir: string; readonly cwd: string },
): ReadonlyArray<{ readonly what: string; readonly command: string }> {
  const steps: { what: string; command: string }[] = [];
  const isUnfinished = outcomes.some(({ account, error }) =>
    account ? account.state !== 'done' : exitCodeOfRun(error) === EXIT.interrupted,
  );
  const isUnshipped = outcomes.some(({ account }) => account?.unshipped);
  const isBudget = outcomes.some(({ account }) => account?.state === 'budget');
  const hasErrors = outcomes.some(({ account }) => (account?.samples.errored ?? 0) > 0);
  if (isUnfinished) {
    steps.push({
      what: isBudget ? 'To go on, with a higher budget' : 'To go on where it stopped',
      command: commandText(about.words),
    });
  } else if (isUnshipped) {
    steps.push({
      what: 'To put what is missing into the bucket, when it is back',
      command: commandText(about.words),
    });
  } else if (hasErrors) {
    steps.push({ what: 'To run what failed again', command: commandText(about.words) });
  }
  if (outcomes.some(({ account }) => account?.log !== undefined)) {
    const dir = relative(about.cwd, about.logDir) || '.';
    const place = dir.startsWith('..') ? about.logDir : dir;
    steps.push({ what: 'To look at the logs', command: `inspect view --log-dir ${quoteWord(place)}` });
  }
  return steps;
}

/** The command that goes on: the same words (the command first), without the one that forgets what is there. */
export function commandText(words: readonly string[]): string {
  const kept = words.filter((word) => word !== '--fresh');
  return ['holdfast', ...kept.map(withoutSecret)].map(quoteWord).join(' ');
}

/** A text that must not be kept must not be printed either; a pattern gives nothing away. */
function withoutSecret(word: string, index: number, words: readonly string[]): string {
  if (words[index - 1] === '--redact' && !word.startsWith('/')) return '…';
  return word.replace(/^--redact=(?!\/).*$/s, '--redact=…');
}
