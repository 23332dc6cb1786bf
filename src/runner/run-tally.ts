import { definedOf } from '../base/index.ts';
import type { EvalSampleSummary, Score } from '../log/index.ts';
import type { Account, ArtifactAccount, BudgetAccount, PreviousAttempt, RunState } from './account.ts';
import { Ledger } from './ledger.ts';
import { moneyOf } from './money.ts';
import type { RunObserver } from './observer.ts';
import type { Plan, PlannedSample } from './plan.ts';
import type { SampleOutcome } from './run-sample.ts';
import { type EndKind, SampleStates } from './sample-states.ts';
import { scorerFailure } from './scorer-failure.ts';
import { ScorerTally } from './scorer-tally.ts';

export interface TallyOptions {
  readonly target: string;
  readonly plan: Plan;
  readonly observer: RunObserver | undefined;
  readonly budget?: () => BudgetAccount | undefined;
}

/** What is really there, from the plan of the seal: the account compares it with what was counted. */
export interface Found {
  readonly log?: string | undefined;
  /** True for a sample that is completed, by name. */
  readonly isCompleted: (sample: string) => boolean;
  readonly unwritable?: ReadonlyMap<string, string> | undefined;
}

/** Counts what becomes of the samples of a run, each once, tells the observer, and makes the account. */
export class RunTally {
  readonly ledger = new Ledger();
  readonly states: SampleStates;
  readonly #scorers = new ScorerTally();
  readonly #options: TallyOptions;
  readonly #notes = new Set<string>();
  readonly #damage = new Set<string>();
  /** How many samples each log lent. */
  readonly #lenders = new Map<string, number>();
  #lost = { answers: 0, usd: 0 };
  /** What the attempts before this one cost. */
  earlierUsd = 0;
  previous: PreviousAttempt | undefined;
  artifacts: ArtifactAccount | undefined;
  /** Logs that the bucket lacks, by name, with the reason. */
  unshipped: ReadonlyMap<string, string> = new Map();

  constructor(options: TallyOptions) {
    this.#options = options;
    this.states = new SampleStates(options.plan);
  }

  /** What the run has cost so far, as far as prices are known, over all attempts at it. */
  get paidUsd(): number {
    return this.earlierUsd + this.ledger.usd.known.spent;
  }

  /** Completed by an earlier attempt of this run: its money is saved, and its score counts from the start. */
  countKept(name: string, summary: EvalSampleSummary): void {
    if (this.states.mark(name, 'kept')) this.#countSaved(summary);
  }

  /** Lent by another run's log. */
  countReused(name: string, summary: EvalSampleSummary, log: string): void {
    if (!this.states.mark(name, 'reused')) return;
    this.#lenders.set(log, (this.#lenders.get(log) ?? 0) + 1);
    this.#countSaved(summary);
  }

  /** What earlier writers had acknowledged and nobody can read any more. */
  countLost({ answers, usd }: { readonly answers: number; readonly usd: number }): void {
    this.#lost = { answers: this.#lost.answers + answers, usd: this.#lost.usd + usd };
  }

  /** `before`: how the latest earlier attempt ended, if there was one. */
  countEnd(
    sample: PlannedSample,
    outcome: SampleOutcome,
    before: 'errored' | 'interrupted' | undefined,
  ): void {
    const { fields, totals, status } = outcome;
    this.#scorers.add(fields?.scores ?? {});
    if (status !== 'interrupted') this.states.markEnd(sample, kindOf(outcome, before), status);
    this.#options.observer?.onSampleEnd?.(sample, {
      status,
      scores: fields?.scores ?? {},
      ...(fields?.error ? { error: fields.error.message } : {}),
      scorerFailures: failuresIn(fields?.scores ?? {}),
      ...(fields?.limit ? { limit: fields.limit.type } : {}),
      tokens: totals.tokens - totals.savedTokens,
      usd: totals.spentUsd,
    });
  }

  /** Says something once, to the observer now and in the account later. */
  note(text: string): void {
    if (this.#notes.has(text)) return;
    this.#notes.add(text);
    this.#options.observer?.onNote?.(text);
  }

  /** Says what could not be read: what it held may have to be bought again, so the run does not end as if all were well. */
  noteDamage(text: string): void {
    this.#damage.add(text);
    this.note(text);
  }

  /** What could not be read, so far. */
  get damage(): readonly string[] {
    return [...this.#damage];
  }

  account(state: RunState, runId: string, found: Found): Account {
    const { plan, target } = this.#options;
    const budget = this.#options.budget?.();
    const scorerTroubles = this.#scorers.troubles();
    const unwritable = [...(found.unwritable ?? [])].map(([sample, reason]) => ({ sample, reason }));
    const unshipped = [...this.unshipped].map(([log, reason]) => ({ log, reason }));
    return {
      eval: plan.identity.eval,
      target,
      runId,
      state,
      ...definedOf({ log: found.log }),
      samples: this.states.counts(found.isCompleted),
      reusedFrom: [...this.#lenders].map(([log, samples]) => ({ log, samples })),
      ...(this.previous ? { previous: this.previous } : {}),
      answers: { ...this.ledger.answers, lost: this.#lost.answers },
      usd: moneyOf({ ...this.ledger.usd, lost: this.#lost.usd }),
      tokens: this.ledger.tokens,
      ...(budget ? { budget } : {}),
      ...definedOf({ artifacts: this.artifacts }),
      ...(scorerTroubles.length > 0 ? { scorerTroubles } : {}),
      ...(unwritable.length > 0 ? { unwritable } : {}),
      ...(unshipped.length > 0 ? { unshipped } : {}),
      ...(this.#damage.size > 0 ? { damage: [...this.#damage] } : {}),
      notes: [...this.#notes],
    };
  }

  #countSaved(summary: EvalSampleSummary): void {
    this.ledger.reused(summary);
    this.#scorers.add(summary.scores ?? {});
    this.#options.observer?.onSampleKept?.(summary.scores ?? {}, { id: summary.id, epoch: summary.epoch });
  }
}

function kindOf(outcome: SampleOutcome, before: 'errored' | 'interrupted' | undefined): EndKind {
  if (outcome.wasKept) return 'rescored';
  if (outcome.wasFinished || outcome.totals.replayedCalls > 0) return 'replayed';
  return before === undefined ? 'fresh' : 'rerun';
}

function failuresIn(scores: Readonly<Record<string, Score>>): Readonly<Record<string, string>> {
  const failures: Record<string, string> = {};
  for (const [scorer, score] of Object.entries(scores)) {
    const reason = scorerFailure(score);
    if (reason !== undefined) failures[scorer] = reason;
  }
  return failures;
}
