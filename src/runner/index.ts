export type {
  Account,
  Amounts,
  AnswerCounts,
  Money,
  PreviousAttempt,
  RunState,
  SampleCounts,
} from './account.ts';
export { Slots, type StopSignals } from './execute.ts';
export type { ReuseMode } from './find-reusable.ts';
export { ACCOUNT_KEY, type RunOutcome } from './finish-run.ts';
export type { ObservedOutcome, ObservedSample, RunObserver, RunStarted } from './observer.ts';
export { checkWritable, openPlaces, placesOf } from './open-places.ts';
export type { Places, SegmentPlace } from './places.ts';
export { type RescoreReport, rescoreLog } from './rescore.ts';
export { runEval } from './run-eval.ts';
export {
  type PreparedSet,
  prepareSet,
  type RunEvalsOptions,
  type RunWatch,
  runEvals,
} from './run-evals.ts';
export type { ItemOutcome } from './run-set.ts';
export { type EvalChanges, type EvalSource, type PlannedItem, planSetItems } from './set-items.ts';
export type { RunSettings, RunTask } from './settings.ts';
