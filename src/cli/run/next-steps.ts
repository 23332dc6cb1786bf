import { relative } from 'node:path';
import { quoteWord } from '../../process/index.ts';
import type { Account, ItemOutcome } from '../../runner/index.ts';
import { EXIT, type ExitCode, exitCodeOfRun } from '../exit-code.ts';
import { roundAbove } from './account-money.ts';

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
    const hasTrouble = (account?.scorerTroubles ?? []).length > 0;
    return missed.length > 0 || account?.state === 'failed' || errored > 0 || lost > 0 || hasTrouble;
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
  const hasUnscored = outcomes.some(({ account }) =>
    account?.scorerTroubles?.some(({ failed }) => failed > 0),
  );
  if (isBudget) {
    const words = withBudget(
      about.words,
      higherBudget(outcomes.flatMap(({ account }) => account?.budget ?? [])),
    );
    steps.push({ what: 'To go on, with a higher budget', command: commandText(words) });
  } else if (isUnfinished) {
    steps.push({ what: 'To go on where it stopped', command: commandText(about.words) });
  } else if (hasUnscored && !hasErrors) {
    steps.push({ what: 'To score again what a scorer failed on', command: commandText(about.words) });
  } else if (isUnshipped) {
    steps.push({
      what: 'To put what is missing into the bucket, when it is back',
      command: commandText(about.words),
    });
  } else if (hasErrors) {
    steps.push({
      what: `To run what failed again${afterMending(outcomes)}`,
      command: commandText(about.words),
    });
  }
  if (outcomes.some(({ account }) => account?.log !== undefined))
    steps.push({ what: 'To look at the logs', command: studioCommand(about) });
  return steps;
}

/** What is damaged stays so until somebody does something about it: until then the same command fails in the same way. */
function afterMending(outcomes: readonly Pick<ItemOutcome, 'account'>[]): string {
  const units = outcomes
    .flatMap(({ account }) => account?.artifacts?.unavailable ?? [])
    .filter(({ code }) => code === 'E_ARTIFACT_DAMAGED')
    .map(({ unit }) => unit);
  if (units.length === 0) return '';
  const [named = ''] = units;
  const all = new Set(units).size;
  return `, once ${all === 1 ? `${named} is` : `${named} and ${all - 1} more artifacts are`} whole again (see above)`;
}

/** Without words it shows the usual log directory. */
function studioCommand({ cwd, logDir }: { readonly cwd: string; readonly logDir: string }): string {
  const dir = relative(cwd, logDir) || '.';
  const place = dir.startsWith('..') ? logDir : dir;
  return place === 'logs' ? 'holdfast studio' : `holdfast studio ${quoteWord(place)}`;
}

/** A round figure above what is spent and allowed. Budgets of single evals are added: `--budget` is one for all. */
function higherBudget(budgets: ReadonlyArray<NonNullable<Account['budget']>>): number {
  const reached = budgets.map(({ limitUsd, spentUsd }) => Math.max(limitUsd, spentUsd));
  const isShared = budgets.some((budget) => budget.isShared);
  return roundAbove(isShared ? Math.max(...reached) : reached.reduce((sum, usd) => sum + usd, 0));
}

function withBudget(words: readonly string[], usd: number): readonly string[] {
  const kept = words.filter(
    (word, index) => word !== '--budget' && words[index - 1] !== '--budget' && !word.startsWith('--budget='),
  );
  return [...kept, '--budget', String(usd)];
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
