export type { Account, Amounts, Money, PreviousAttempt, RunState, SampleCounts } from './account.ts';
export { Slots, type StopSignals } from './execute.ts';
export type { ReuseMode } from './find-reusable.ts';
export type { ObservedOutcome, ObservedSample, RunObserver, RunStarted } from './observer.ts';
export { checkWritable, openPlaces, type PlacesInput, placesOf } from './open-places.ts';
export { type Places, type SegmentPlace, STATE_FOLDER, stateDirOf } from './places.ts';
export { type RescoreOptions, type RescoreReport, rescoreLog } from './rescore.ts';
export { type RunEvalOptions, type RunOutcome, runEval } from './run-eval.ts';
export {
  type PreparedSet,
  prepareSet,
  type RunEvalsOptions,
  type RunWatch,
  runEvals,
} from './run-evals.ts';
export { bothBudgets, type ItemOutcome, type RunSetOptions, runSet, type SetItem } from './run-set.ts';
export { type EvalChanges, type EvalSource, type PlannedItem, planSetItems } from './set-items.ts';
