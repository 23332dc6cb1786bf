import type { ErrorCode } from '../base/index.ts';

/** The account: what became of everything that was paid for. The same values go to the terminal and to `--json`. */
export interface Account {
  readonly eval: string;
  readonly target: string;
  readonly runId: string;
  readonly state: RunState;
  /** The finished log; absent while the run is not done. */
  readonly log?: string;
  readonly samples: SampleCounts;
  /** Which logs lent how many samples. */
  readonly reusedFrom: ReadonlyArray<{ readonly log: string; readonly samples: number }>;
  readonly answers: AnswerCounts;
  readonly usd: Money;
  readonly tokens: Amounts;
  readonly budget?: BudgetAccount;
  /** What the samples share, when they require something. */
  readonly artifacts?: ArtifactAccount;
  /** Scorers that threw, or scored nothing at all. */
  readonly scorerTroubles?: readonly ScorerTrouble[];
  /** How the attempt before this one ended, when it did not end well. */
  readonly previous?: PreviousAttempt;
  /** Samples that are paid for but could not be written into the log, each with the reason. */
  readonly unwritable?: ReadonlyArray<{ readonly sample: string; readonly reason: string }>;
  /** Finished logs that the bucket lacks, each with the reason: the same command ships them. */
  readonly unshipped?: ReadonlyArray<{ readonly log: string; readonly reason: string }>;
  /** Sentences about stored things that could not be read whole: what they held may have been bought again. */
  readonly damage?: readonly string[];
  readonly notes: readonly string[];
}

/** Artifacts that the samples of a run need: each is counted once, however many samples use it. */
export interface ArtifactAccount {
  /** They were here, or came from elsewhere, and were not built. */
  readonly reused: number;
  /** Those of them that came from the store. */
  readonly fetched: number;
  /** Those of them that came from a seed. */
  readonly seeded: number;
  readonly built: readonly BuiltArtifact[];
  /** What building those that were reused had cost. null: unknown. */
  readonly savedUsd: number | null;
  /** What this command paid for builds, also for those that failed, and not for answers that were there. null: unknown. It is not in `usd`, which counts the samples. */
  readonly spentUsd: number | null;
  readonly savedTokens: number;
  readonly spentTokens: number;
  /** Sentences about those that were damaged here, and of which a whole copy came from elsewhere. */
  readonly mended: readonly string[];
  /** They could not be had: the samples that need them failed. */
  readonly unavailable: readonly UnavailableArtifact[];
}

export interface UnavailableArtifact {
  /** `<kind>/<key>` */
  readonly unit: string;
  readonly code: ErrorCode;
  readonly reason: string;
  /** What to do about it. */
  readonly hint: string;
  /** Nothing is wrong with it: the command was told to stop, or its money is spent. */
  readonly isStopped: boolean;
}

export interface BuiltArtifact {
  /** `<kind>/<key>` */
  readonly unit: string;
  readonly generation: string;
  readonly usd: number | null;
  readonly tokens: number;
}

/** done: sealed. interrupted, budget, failed: stopped early and resumable. */
export type RunState = 'done' | 'interrupted' | 'budget' | 'failed';

/** Each sample of the plan is counted once in each line: these are sizes of sets, by sample and epoch. */
export interface SampleCounts {
  readonly planned: number;
  /** Completed by earlier attempts of this run, and still there. */
  readonly kept: number;
  /** Completed by other runs whose logs hold them. */
  readonly reused: number;
  /** The output of an earlier run stands, and was scored anew. */
  readonly rescored: number;
  /** Ran with answers that had been bought before, as far as it asked for the same. */
  readonly replayed: number;
  /** Had an attempt before that could not be used (an error, an agent that starts over), and was run again. */
  readonly rerun: number;
  /** Run for the first time. */
  readonly fresh: number;
  /** Ended with an execution error. */
  readonly errored: number;
  /** Not finished yet. */
  readonly remaining: number;
  /** Was completed once and is in no log and no journal now. Expected: 0. */
  readonly lost: number;
}

export interface AnswerCounts {
  readonly bought: number;
  readonly replayed: number;
  /** Were acknowledged once and cannot be read any more: the journal was damaged. Expected: 0. */
  readonly lost: number;
}

export interface Amounts {
  readonly spent: number;
  /** Not bought again, thanks to what was kept. */
  readonly saved: number;
  /** Spent on attempts that came to nothing. */
  readonly wasted: number;
}

/** US dollars. null: unknown, since no call that was counted there has a known price. It is never 0 for want of knowledge. */
export interface Money {
  readonly spent: number | null;
  readonly saved: number | null;
  readonly wasted: number | null;
  /** The price of answers that were lost to damage. */
  readonly lost: number;
  /** How many calls of unknown price are in each (under `saved` also samples): an amount beside one is a lower bound. */
  readonly unpriced: Amounts;
  /** Calls of this command whose price is unknown. */
  readonly unpricedCalls: number;
}

/** What the run may cost. It counts what the run cost over all attempts at it, also those of earlier commands. */
export interface BudgetAccount {
  readonly limitUsd: number;
  readonly spentUsd: number;
  /** True for `--budget`: all runs of the command share it. */
  readonly isShared: boolean;
  /** Calls whose price is unknown do not count (`--allow-unpriced`). */
  readonly allowsUnpriced: boolean;
}

/** A scorer that did not do its work. */
export interface ScorerTrouble {
  readonly scorer: string;
  /** For how many samples it threw, or took too long. */
  readonly failed: number;
  /** Samples that it scored, over the whole log; 0: it scored nothing. */
  readonly scored: number;
  /** The first reason, whole. */
  readonly reason?: string;
}

export interface PreviousAttempt {
  /** When it last gave a sign of life. */
  readonly diedAt: string;
  /** True when it said good-bye (Ctrl-C, budget); false when it was killed. */
  readonly saidGoodbye: boolean;
  readonly kept: number;
  readonly inFlight: number;
  /** Every time that a process worked on the run before this one, oldest first. */
  readonly sessions: readonly EarlierSession[];
}

export interface EarlierSession {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly saidGoodbye: boolean;
  /** Samples that were completed by then, by all sessions together. */
  readonly kept: number;
  readonly host: string;
}
