export type { CondensedEvent, SampleParts } from './condensed.ts';
export type {
  ChatMessage,
  EvalError,
  EvalSample,
  EvalSampleSummary,
  EvalSpec,
  LogEvent,
  LogHeader,
  LogStart,
  ModelOutput,
  ModelUsage,
  SampleFields,
  SampleId,
  SampleLimit,
  Score,
} from './schema.ts';
