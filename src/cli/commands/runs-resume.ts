import { Option } from 'commander';
import { counted, formatUsd, systemClock, UsageError } from '../../base/index.ts';
import {
  beginRound,
  enqueueDue,
  findShared,
  type SharedPlace,
  type SharedRun,
  spentOfBudget,
} from '../../cluster/index.ts';
import { cacheOption } from '../artifacts/artifact-options.ts';
import { type CommandCall, defineCommand } from '../command.ts';
import { parseUsd } from '../parse-values.ts';
import { checkRequiredPush } from '../results/auto-publish.ts';
import { publishOptions } from '../results/publish-options.ts';
import { roundAbove } from '../run/account-money.ts';
import { logDirOption } from '../run-options.ts';
import type { WaitFlags } from '../shared/await-runs.ts';
import type { FetchFlags } from '../shared/fetch-run.ts';
import { checkLaunchFor } from '../shared/launch-for.ts';
import { type LaunchFlags, launchOptions, stoppingText } from '../shared/launch-options.ts';
import { seenStatus } from '../shared/seen-status.ts';
import { bucketOption, queueOption } from '../shared/shared-options.ts';
import { openShared, openSharedQueue, submitterName } from '../shared/shared-place.ts';
import { untilStopped } from '../shared/until-stopped.ts';
import { WAIT_EXITS } from '../shared/wait-exits.ts';
import { waitOptions } from '../shared/wait-options.ts';

interface ResumeFlags extends LaunchFlags, FetchFlags, WaitFlags {
  readonly budget?: number;
}

/**
 * What is said here: by the command line, else by the environment. What the project says was heard when the run was submitted; it counts again
 * where it is more by now, and never takes away from what was said for this run.
 */
async function saidBudget(call: CommandCall<ResumeFlags>, shared: SharedRun): Promise<number | undefined> {
  const { budget } = call.flags;
  if (call.isGiven('budget')) return budget;
  const { source } = (await call.settings()).get('budget');
  const isMore = budget !== undefined && shared.budgetUsd !== undefined && budget > shared.budgetUsd;
  return source === 'environment' || isMore ? budget : undefined;
}

/** A round would be cancelled by its first call. */
async function refuseSpent(
  shared: SharedRun,
  place: SharedPlace,
  budgetUsd: number | undefined,
): Promise<void> {
  const limitUsd = budgetUsd ?? shared.budgetUsd;
  if (limitUsd === undefined) return;
  const spentUsd = await spentOfBudget(place, shared);
  if (spentUsd < limitUsd) return;
  const whose = shared.submission.purse === undefined ? '' : ', for all runs of its submit';
  throw new UsageError({
    code: 'E_BUDGET_SPENT',
    message: `The budget of run ${shared.run} is spent: ${formatUsd(spentUsd)} of ${formatUsd(limitUsd)}${whose}.`,
    hint: `Nothing was begun. Go on with a larger one: holdfast runs resume ${shared.run} --budget ${roundAbove(Math.max(spentUsd, limitUsd))}`,
  });
}

/**
 * What is under way needs no other round, and what is complete only when something failed, or cannot be read: the round goes past that, and runs
 * again what it is of [SHR-24]. True when one was begun here.
 */
async function beginNext(
  shared: SharedRun,
  place: SharedPlace,
  call: CommandCall<ResumeFlags>,
): Promise<boolean> {
  const { samples, builds } = await seenStatus(shared, place);
  const failed = samples.errored + samples.aside + builds.errored + builds.aside + shared.damaged.length;
  const isOver = shared.isComplete || shared.isCancelled || shared.round === 0;
  const budgetUsd = await saidBudget(call, shared);
  if (isOver && !(shared.isComplete && failed === 0)) {
    await refuseSpent(shared, place, budgetUsd);
    for (const { problem } of shared.damaged) call.terminal.note(`goes past ${problem}`);
    const words = { clock: systemClock, by: submitterName(), budgetUsd };
    const isFirst = shared.round === 0;
    const { isOwn } = await beginRound(shared, place, words);
    // Somebody had cancelled the first before it was there.
    if (!isFirst || !shared.isCancelled) return isOwn;
    return (await beginRound(shared, place, words)).isOwn;
  }
  if (budgetUsd !== undefined && budgetUsd !== shared.budgetUsd)
    call.terminal.note(
      'No round is begun, so the budget stays as it is: only what was cancelled, or failed, gets one.',
    );
  return false;
}

export const command = defineCommand<ResumeFlags>({
  summary: 'Go on with a shared run: what is missing or failed, and nothing else',
  description: `Of a run that is under way, or that nobody works on, what is due is put into the queue again: a queue that was lost needs no more. One that was cancelled,
or is complete with samples that failed, or of which something stored is damaged, gets another round: exactly those are run again, with the same bundle, and with everything that was paid for or built before.`,
  arguments: [['<run>', 'its id, or the beginning or the end of it']],
  options: [
    bucketOption(),
    queueOption(),
    new Option('--detach', 'return when it is in the queue'),
    ...launchOptions(),
    new Option('--budget <usd>', 'what the run may cost from now on, over all its rounds').argParser(
      parseUsd,
    ),
    logDirOption('where the log goes'),
    cacheOption(),
    ...waitOptions(),
    ...publishOptions(),
  ],
  examples: [
    ['holdfast runs resume 20261118 --detach', 'what is missing or failed of it'],
    ['holdfast runs resume 20261118 --budget 50', 'go on with a run whose budget was spent'],
    ['holdfast runs resume 20261118 --launch lab', 'with workers that are started for it'],
  ],
  exits: WAIT_EXITS,
  isOfShared: true,
  async run(call) {
    const { args, flags, terminal } = call;
    const place = await openShared(flags, terminal);
    await checkRequiredPush(call);
    const queue = await openSharedQueue(flags, place);
    const onStop = () => terminal.note(stoppingText(flags));
    return await untilStopped({ onStop, note: terminal.note }, async (signals) => {
      const shared = await findShared(place, String(args[0]));
      const { keys } = shared.submission.work;
      await checkLaunchFor({ call, place, keys });
      const isBegun = await beginNext(shared, place, call);
      const due = await enqueueDue(shared, queue);
      terminal.note(
        due === 0
          ? `${shared.run}: nothing is missing.`
          : `${shared.run}: ${counted(due, 'job')} due in round ${shared.round}.`,
      );
      const { seeThrough } = await import('../shared/see-through.ts');
      return await seeThrough([shared], {
        ...{ call, place, queue, keys, signals },
        ...{ begun: isBegun ? [shared] : [], isIdle: due === 0 },
      });
    }).finally(() => queue.close());
  },
});
