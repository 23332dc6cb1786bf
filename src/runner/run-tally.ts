import type { EvalResults, EvalSampleSummary } from '../log/index.ts';
import type { Account, PreviousAttempt, RunState } from './account.ts';
import { Ledger } from './ledger.ts';
import type { RunObserver } from './observer.ts';
import type { PlannedSample } from './plan.ts';
import type { SampleOutcome } from './run-sample.ts';

export interface TallyOptions {
  readonly eval: string;
  readonly target: string;
  readonly planned: number;
  readonly observer: RunObserver | undefined;
}

/** Counts what becomes of the samples of a run, tells the observer, and makes the account. */
export class RunTally {
  readonly ledger = new Ledger();
  readonly #options: TallyOptions;
  readonly #notes: string[] = [];
  /** How many samples each log lent. */
  readonly #sources = new Map<string, number>();
  readonly #counts = { kept: 0, reused: 0, replayed: 0, rerun: 0, fresh: 0, errored: 0, completedNow: 0 };
  previous: PreviousAttempt | undefined;

  constructor(options: TallyOptions) {
    this.#options = options;
  }

  get kept(): number {
    return this.#counts.kept;
  }

  get reused(): number {
    return this.#counts.reused;
  }

  /** The logs that lent samples. */
  get lenders(): Iterable<string> {
    return this.#sources.keys();
  }

  /** Completed by an earlier attempt of this run: its money is saved, and its score counts from the start. */
  countKept(summary: EvalSampleSummary): void {
    this.#counts.kept++;
    this.#countSaved(summary);
  }

  /** Lent by another run's log. */
  countReused(summary: EvalSampleSummary, log: string): void {
    this.#counts.reused++;
    this.#sources.set(log, (this.#sources.get(log) ?? 0) + 1);
    this.#countSaved(summary);
  }

  /** `before`: how the latest earlier attempt ended, if there was one; `canReplay`: whether it could go on from there. */
  countEnd(
    sample: PlannedSample,
    outcome: SampleOutcome,
    earlier: { readonly before: 'errored' | 'interrupted' | undefined; readonly canReplay: boolean },
  ): void {
    const { fields, totals, status } = outcome;
    if (status !== 'interrupted') this.#counts[this.#kindOf(outcome, earlier)]++;
    if (status === 'errored') this.#counts.errored++;
    if (status === 'completed') this.#counts.completedNow++;
    this.#options.observer?.onSampleEnd?.(sample, {
      status,
      scores: fields?.scores ?? {},
      ...(fields?.error ? { error: fields.error.message } : {}),
      ...(fields?.limit ? { limit: fields.limit.type } : {}),
      tokens: totals.tokens - totals.savedTokens,
      usd: totals.spentUsd,
    });
  }

  /** Says something once, to the observer now and in the account later. */
  note(text: string): void {
    if (this.#notes.includes(text)) return;
    this.#notes.push(text);
    this.#options.observer?.onNote?.(text);
  }

  /** `actual`: how many completed samples are really there, counted anew in the log or the journal. */
  account(
    state: RunState,
    runId: string,
    found: { readonly log?: string; readonly actual: number; readonly results?: EvalResults },
  ): Account {
    const { completedNow, ...counts } = this.#counts;
    const { planned } = this.#options;
    const expected = counts.kept + counts.reused + completedNow;
    return {
      eval: this.#options.eval,
      target: this.#options.target,
      runId,
      state,
      ...(found.log === undefined ? {} : { log: found.log }),
      samples: {
        planned,
        ...counts,
        remaining: planned - expected - counts.errored,
        lost: Math.max(0, expected - found.actual),
      },
      reusedFrom: [...this.#sources].map(([log, samples]) => ({ log, samples })),
      ...(this.previous ? { previous: this.previous } : {}),
      answers: this.ledger.answers,
      usd: this.ledger.usd,
      tokens: this.ledger.tokens,
      notes: this.#notes,
    };
  }

  #kindOf(
    outcome: SampleOutcome,
    {
      before,
      canReplay,
    }: { readonly before: 'errored' | 'interrupted' | undefined; readonly canReplay: boolean },
  ): 'replayed' | 'rerun' | 'fresh' {
    if (before === undefined) return 'fresh';
    const wentOn = before === 'interrupted' && (canReplay || outcome.wasFinished === true);
    return wentOn ? 'replayed' : 'rerun';
  }

  #countSaved(summary: EvalSampleSummary): void {
    this.ledger.reused(summary);
    this.#options.observer?.onSampleKept?.(summary.scores ?? {});
  }
}
