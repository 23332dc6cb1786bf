export { type BilledName, billedTarget } from './billed-target.ts';
export { type Budget, BudgetExhausted, createBudget, PriceUnknown, stopIn } from './budget.ts';
export {
  type CallLimit,
  type CallLimiter,
  type CallLimits,
  type CallPass,
  createCallLimiter,
} from './call-limiter.ts';
export { AlikeCalls, type FailedTry, type HeardCall } from './call-watch.ts';
export { OUTPUT_BYTES_MAX } from './command-target.ts';
export { createExec } from './exec.ts';
export { failureText } from './failure-text.ts';
export { createGenerate } from './generate.ts';
export type { LanguageModel } from './language-model.ts';
export { LimitExceeded } from './limit-exceeded.ts';
export { newEvent, seconds } from './log-event.ts';
export { createMemoryRecorder, type MemoryRecorder, type RecordedExchange } from './memory-recorder.ts';
export { type MockAnswer, type MockModelOptions, mockModel } from './mock-model.ts';
export type { ModelGate } from './model-gate.ts';
export { reachedBy } from './model-identity.ts';
export { NO_MODEL, PROVIDERS } from './model-name.ts';
export { createModels, type Models, type ModelsOptions } from './models.ts';
export { type Env, keyFoundFor, keyVariableOf, packageOf } from './open-model.ts';
export { createOwnCalls } from './own-calls.ts';
export type { PriceTable } from './price-table.ts';
export { pureTool } from './recorded-tools.ts';
export type { PaidRequest, RecordedAnswer, Recorder } from './recorder.ts';
export { createRedaction, type Redaction } from './redaction.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { type AnyTargetSpec, resolvePlanned, resolveTarget } from './resolve-target.ts';
export type { RunnableTarget, TargetResult } from './runnable-target.ts';
export {
  type ArtifactPlace,
  NO_ARTIFACTS,
  type SampleArtifacts,
  sampleArtifacts,
} from './sample-artifacts.ts';
export { createSampleMeter, type MeterTotals, type SampleMeter } from './sample-meter.ts';
export { createSampleScope, type SampleScope, scopeUntil, scoringScope } from './sample-scope.ts';
export { variablesOfTarget } from './target-variables.ts';
export { digestOfTree } from './tree-digest.ts';
export { untilAborted } from './until-aborted.ts';
export { createWorkspace, type OnFolder, type Workspace } from './workspace.ts';
