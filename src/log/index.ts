export { attachmentHash } from './attachment-hash.ts';
export type { Attachment } from './attachment-rule.ts';
export { type BucketLogStoreOptions, bucketLogStore } from './bucket-log-store.ts';
export { type ByteSource, memorySource, openFileSource } from './byte-source.ts';
export type { CompressionMethod } from './compress.ts';
export { condenseJson, condenseMessages, expandJson } from './condense-values.ts';
export type { CondensedEvent, SampleParts } from './condensed.ts';
export { type Condenser, type CondenserOptions, createCondenser } from './condenser.ts';
export { type ConvertOptions, convertLog } from './convert-log.ts';
export { directoryLogStore } from './directory-log-store.ts';
export {
  readInput,
  readMessage,
  readMessages,
  readModelOutput,
  readScore,
  readStart,
  readSummary,
  readTarget,
  readUsage,
} from './kinds/read-value.ts';
export {
  createLogFile,
  type LogFile,
  type LogFileOptions,
  type MemberSource,
  type RawMember,
} from './log-file.ts';
export { isLogName, logFileName } from './log-name.ts';
export type { LogReader, MemberInfo } from './log-reader.ts';
export { readRunFromLog } from './log-run-reader.ts';
export type {
  CreatedLog,
  CreateLogOptions,
  LogStore,
  OpenWritten,
  StoredLog,
  Verdict,
} from './log-store.ts';
export { MemberJson } from './member-json.ts';
export { bestByMerit, compareMerit, type Merit, type MeritRank } from './merit.ts';
export { type OpenLogOptions, openLog, openLogSource } from './open-log.ts';
export type { Position, Positioned, RunChange, RunReader } from './run-reader.ts';
export { sampleMemberName } from './sample-text.ts';
export type {
  ChatMessage,
  EvalConfig,
  EvalDataset,
  EvalError,
  EvalMetric,
  EvalPlan,
  EvalResults,
  EvalSample,
  EvalSampleReductions,
  EvalSampleSummary,
  EvalScore,
  EvalScorer,
  EvalSpec,
  EvalStats,
  LogEvent,
  LogHeader,
  LogStart,
  LogStatus,
  MetricSpec,
  ModelOutput,
  ModelUsage,
  SampleFields,
  SampleLimit,
  Score,
  ScoreValue,
  ToolCall,
} from './schema.ts';
export { summarize } from './summarize.ts';
export type { Scratch } from './text-store.ts';
export { type Salvage, scanTornLog, scanTornZip } from './torn-log.ts';
export { addUsage } from './usage.ts';
export { type LogProblem, type VerifyReport, verifyLog } from './verify-log.ts';
export { DEFAULT_LIMITS, type ReadLimits, ZipReader } from './zip-reader.ts';
