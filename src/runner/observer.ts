import type { Score } from '../log/index.ts';
import type { FailedTry } from '../targets/index.ts';
import type { PreviousAttempt } from './account.ts';
import type { ExpectedCost } from './sample-costs.ts';

/** What a screen shows of a run under way. Every method is called synchronously and must be quick. */
export interface RunObserver {
  /** Before `onRunStart`: an artifact is built. */
  onBuildStart?(): void;
  onBuildEnd?(): void;
  onRunStart?(run: RunStarted): void;
  /** Before `onRunStart`, for each sample that earlier attempts or other runs completed. */
  onSampleKept?(scores: Readonly<Record<string, Score>>, sample: ObservedSample): void;
  onSampleStart?(sample: ObservedSample): void;
  onSampleEnd?(sample: ObservedSample, outcome: ObservedOutcome): void;
  /** A live call failed, and may be tried again: told at once. */
  onFailedTry?(failed: FailedTry): void;
  /** Something a person should know now: a bucket that is away, a price that is unknown, a note. */
  onNote?(text: string): void;
  /** The run is over, however it ended; also when it never began. */
  onRunEnd?(): void;
  onSealProgress?(done: number, total: number): void;
}

export interface RunStarted extends ExpectedCost {
  readonly runId: string;
  readonly eval: string;
  readonly target: string;
  readonly planned: number;
  readonly kept: number;
  readonly reused: number;
  /** Their outputs are there, and are scored anew. */
  readonly toScore: number;
  /** They run, with answers that are on record as far as they ask for the same. */
  readonly toReplay: number;
  /** They run, and nothing is known of them. */
  readonly toBuy: number;
  /** They cannot run: an artifact that they need cannot be had. */
  readonly refused?: number;
  readonly previous?: PreviousAttempt;
}

export interface ObservedSample {
  readonly id: string | number;
  readonly epoch: number;
}

export interface ObservedOutcome {
  readonly status: 'completed' | 'errored' | 'interrupted';
  readonly scores: Readonly<Record<string, Score>>;
  readonly error?: string;
  /** Scorers that threw or took too long, with the reason. */
  readonly scorerFailures?: Readonly<Record<string, string>>;
  readonly limit?: string;
  readonly tokens: number;
  readonly usd: number;
}
