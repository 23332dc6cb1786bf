import { type SampleKey, sampleKeyText } from '../base/index.ts';
import type { Origin, RunJournals, RunRecord } from '../journal/index.ts';
import type { LogStore } from '../log/index.ts';
import { ChoiceList, nameOfChosen } from './choice-list.ts';
import { type Choice, chooseAttempts, sampleOf } from './choose-attempts.ts';
import { checkLenders } from './lenders.ts';

/** What a log will hold, decided once: whoever counts, reports or writes takes it from here [SEAL-4]. */
export interface SealPlan {
  readonly run: RunRecord;
  /** Where the rows of what was chosen are read. */
  readonly journals: RunJournals;
  readonly choices: ChoiceList;
  readonly counts: SealCounts;
  /** The names of samples that are completed, here or in a log that lends them. */
  readonly completed: ReadonlySet<string>;
  /** Planned, and nothing is there of it: no attempt, no log that lends it. */
  readonly missing: readonly SampleKey[];
  /** Samples that are there but cannot be written, by name, with the reason. */
  readonly unwritable: ReadonlyMap<string, string>;
  /** Sentences about what could not be read or is gone. */
  readonly problems: readonly string[];
}

/** By sample and epoch, each counted once. All but `planned` add up to the samples that are there or missing. */
export interface SealCounts {
  readonly planned: number;
  /** Completed by an attempt of this run. */
  readonly completed: number;
  /** Lent by other logs. */
  readonly reused: number;
  readonly errored: number;
  readonly interrupted: number;
  readonly missing: number;
  readonly unwritable: number;
}

/** Chooses, counts and says what is missing. Nothing is written, and nothing of it is decided again. */
export async function planSeal(
  journals: RunJournals,
  logs: LogStore,
  isResult?: (origin: Origin) => boolean,
): Promise<SealPlan> {
  const run = journals.run();
  const lenders = await checkLenders(journals, logs);
  const expected = plannedSamples(run);
  const all = chooseAttempts(journals, (row) => lenders.isWhole(row), isResult);
  const chosen = expected ? all.filter((choice) => expected.has(nameOf(choice))) : all;
  for (const choice of chosen) expected?.delete(nameOf(choice));
  const missing = [...(expected?.values() ?? [])];
  const choices = new ChoiceList(chosen);
  return {
    run,
    journals,
    choices,
    completed: new Set(chosen.filter(isCompleted).map(nameOf)),
    missing,
    unwritable: new Map(),
    counts: countChoices(run, choices, { missing: missing.length, unwritable: 0 }),
    problems: [...journals.damage.sentences, ...lenders.problems],
  };
}

/** The same plan without samples that turned out to be unwritable. */
export function planWithout(plan: SealPlan, unwritable: ReadonlyMap<string, string>): SealPlan {
  const choices = plan.choices.filter((chosen) => !unwritable.has(nameOfChosen(chosen)));
  const all = new Map([...plan.unwritable, ...unwritable]);
  return {
    ...plan,
    choices,
    completed: new Set([...plan.completed].filter((name) => !unwritable.has(name))),
    unwritable: all,
    counts: countChoices(plan.run, choices, { missing: plan.missing.length, unwritable: all.size }),
  };
}

/** True when every planned sample ended with a result, and all of it can be written. */
export function isWhole({ counts }: SealPlan): boolean {
  return counts.interrupted + counts.missing + counts.unwritable === 0;
}

/** By name; undefined when the run does not say which samples it has. */
function plannedSamples({ start, planned }: RunRecord): Map<string, SampleKey> | undefined {
  const { dataset, config } = start.eval;
  const samples = new Map<string, SampleKey>();
  for (const id of dataset.sample_ids ?? [])
    for (let epoch = 1; epoch <= (config.epochs ?? 1); epoch++)
      samples.set(sampleKeyText(id, epoch), { id, epoch });
  return samples.size === planned ? samples : undefined;
}

function isCompleted(choice: Choice): boolean {
  return choice.from === 'log' || choice.attempt.status === 'completed';
}

function nameOf(choice: Choice): string {
  const { id, epoch } = sampleOf(choice);
  return sampleKeyText(id, epoch);
}

function countChoices(
  run: RunRecord,
  choices: ChoiceList,
  absent: { readonly missing: number; readonly unwritable: number },
): SealCounts {
  const counts = { completed: 0, reused: 0, errored: 0, interrupted: 0 };
  for (const choice of choices) {
    if (choice.from === 'log') counts.reused++;
    else counts[choice.attempt.status ?? 'interrupted']++;
  }
  // A run that does not name its samples still says how many there are.
  const missing = Math.max(absent.missing, run.planned - choices.length - absent.unwritable);
  return { planned: run.planned, ...counts, ...absent, missing };
}
