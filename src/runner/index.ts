export type { Account, Amounts, Money, PreviousAttempt, RunState, SampleCounts } from './account.ts';
export { Slots, type StopSignals } from './execute.ts';
export type { ReuseMode } from './find-reusable.ts';
export type { ObservedOutcome, ObservedSample, RunObserver, RunStarted } from './observer.ts';
export { type Places, type SegmentPlace, STATE_FOLDER, stateDirOf } from './places.ts';
export { type RunEvalOptions, type RunOutcome, runEval } from './run-eval.ts';
export { bothBudgets, type ItemOutcome, type RunSetOptions, runSet, type SetItem } from './run-set.ts';
