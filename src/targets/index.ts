export { type Budget, BudgetExhausted, createBudget } from './budget.ts';
export { type CommandTargetOptions, commandTarget, OUTPUT_BYTES_MAX } from './command-target.ts';
export { type Conversation, createConversation } from './conversation.ts';
export { type CreateExecOptions, createExec, EXEC_BYTES_MAX, type Exec } from './exec.ts';
export { type CreateGenerateOptions, createGenerate } from './generate.ts';
export {
  isLanguageModel,
  type LanguageModel,
  type ModelAnswer,
  type ModelRequest,
} from './language-model.ts';
export { LimitExceeded, type LimitType } from './limit-exceeded.ts';
export { type EventSource, newEvent, seconds } from './log-event.ts';
export { createMemoryRecorder, type MemoryRecorder, type RecordedExchange } from './memory-recorder.ts';
export {
  type MockAnswer,
  type MockFailure,
  type MockModelOptions,
  type MockRequest,
  mockModel,
} from './mock-model.ts';
export {
  createModelGate,
  type GatePass,
  type LimitChange,
  type ModelGate,
  type ModelGateOptions,
} from './model-gate.ts';
export { type ModelName, NO_MODEL, PROVIDERS, type ProviderName, parseModelName } from './model-name.ts';
export {
  createModels,
  type ModelChoice,
  type Models,
  type ModelsOptions,
  type OpenedModel,
} from './models.ts';
export {
  checkModel,
  type Env,
  keyVariableOf,
  type OpenModelOptions,
  openModel,
  packageOf,
} from './open-model.ts';
export { LIST_PRICES, PRICES_AS_OF, type Price, type PriceTable } from './price-table.ts';
export { createPrices, type Prices, type PricesOptions } from './prices.ts';
export { ModelCallError, type RecordedModelOptions, recordedModel } from './recorded-model.ts';
export { pureTool, recordedTools, type Tools } from './recorded-tools.ts';
export type { PaidRequest, RecordedAnswer, Recorder } from './recorder.ts';
export type { Redaction } from './redaction.ts';
export {
  type AnyTargetSpec,
  type ResolveTargetOptions,
  resolvePlanned,
  resolveTarget,
} from './resolve-target.ts';
export { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';
export {
  type RunnableTarget,
  type TargetKind,
  type TargetResult,
  type TargetRun,
  untilAborted,
} from './runnable-target.ts';
export {
  type CountedCall,
  createSampleMeter,
  type MeterTotals,
  type SampleMeter,
  type SampleMeterOptions,
} from './sample-meter.ts';
export { createSampleScope, type SampleScope, scoringScope } from './sample-scope.ts';
export { inputText } from './template.ts';
export { modelUsageOf } from './usage.ts';
export { createWorkspace, type Workspace, type WorkspaceOptions } from './workspace.ts';
