import type { RunRecord, WriterRecord } from '../journal/index.ts';
import type { SampleElsewhere, SharedEval } from '../runner/index.ts';
import type { AskedOfKeeper } from './asked-limiter.ts';
import type { ToldError } from './told-error.ts';

/** What the process that has a run says to those that run its samples. Both are the same version of the same program. */
export type ToWorker =
  | { readonly kind: 'open'; readonly item: number; readonly run: RunRecord; readonly writer: WriterRecord }
  | {
      readonly kind: 'run';
      readonly id: number;
      readonly item: number;
      readonly position: number;
      /** Writers that tried it before. */
      readonly earlier: readonly string[];
      readonly kept: SampleElsewhere['kept'];
    }
  | { readonly kind: 'abort'; readonly id: number }
  /** What the budget of an item says. */
  | {
      readonly kind: 'budget';
      readonly item: number;
      readonly limitUsd: number | undefined;
      readonly spentUsd: number;
      readonly isExhausted: boolean;
    }
  /** A call may be made. */
  | { readonly kind: 'entered'; readonly id: number }
  /** Nothing more of this item will come. */
  | { readonly kind: 'close'; readonly item: number }
  /** Nothing more will come. */
  | { readonly kind: 'end' };

type Result = Awaited<ReturnType<SharedEval['runSample']>>;

/** And what they say. */
export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly item: number; readonly writer: string }
  | { readonly kind: 'closed'; readonly item: number }
  | { readonly kind: 'refused'; readonly item: number; readonly error: ToldError }
  | {
      readonly kind: 'ended';
      readonly id: number;
      readonly result: Pick<Result, 'counted' | 'damage'> & { readonly outcome: ToldOutcome };
    }
  /** It could not be run, for a reason that is not its own. */
  | { readonly kind: 'failed'; readonly id: number; readonly error: ToldError }
  | AskedOfKeeper
  | { readonly kind: 'spent'; readonly item: number; readonly usd: number | undefined }
  | { readonly kind: 'note'; readonly item: number; readonly text: string };

/** An outcome without what cannot be told: what an interruption was about. */
export type ToldOutcome = Omit<Result['outcome'], 'reason'>;
