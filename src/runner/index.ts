export type { Account, ArtifactAccount } from './account.ts';
export { pinnedByRuns, withPins } from './artifacts/earlier-pins.ts';
export type { BuildWish } from './artifacts/eval-artifacts.ts';
export type {
  Elsewhere,
  EndedElsewhere,
  OpenElsewhere,
  RunElsewhere,
  SampleElsewhere,
  WriterElsewhere,
} from './elsewhere.ts';
export { Slots, type StopSignals } from './execute.ts';
export type { RunOutcome } from './finish-run.ts';
export type { Forecast } from './forecast.ts';
export { type HandedOver, handOver } from './hand-over.ts';
export { addMoney, moneyOfBuilds } from './money.ts';
export type { ObservedOutcome, ObservedSample, RunObserver, RunStarted } from './observer.ts';
export { checkWritable, placesOf } from './open-places.ts';
export type { Places } from './places.ts';
export { type RescoreReport, rescoreLog } from './rescore.ts';
export { runEval } from './run-eval.ts';
export {
  type ItemArtifacts,
  type PreparedSet,
  prepareSet,
  type RunEvalsOptions,
  runEvals,
  type SharedItem,
} from './run-evals.ts';
export type { ItemOutcome } from './run-set.ts';
export { workOfRecord } from './same-work.ts';
export { ScorerTally } from './scorer-tally.ts';
export { type EvalChanges, type PlannedItem, planSetItems } from './set-items.ts';
export type { RunSettings, RunTask } from './settings.ts';
export { SharedEval } from './shared-eval.ts';
export { missedThresholds } from './threshold.ts';
export { areTooMany } from './too-many-errors.ts';
