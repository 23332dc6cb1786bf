export { attachmentHash } from './attachment-hash.ts';
export { type Attachment, referredHash } from './attachment-rule.ts';
export { bucketLogStore } from './bucket-log-store.ts';
export { type ByteSource, memorySource } from './byte-source.ts';
export type { CompressionMethod } from './compress.ts';
export { condenseJson, condenseMessages, expandJson } from './condense-values.ts';
export type { SampleParts } from './condensed.ts';
export { type Condenser, createCondenser } from './condenser.ts';
export { convertLog } from './convert-log.ts';
export { directoryLogStore } from './directory-log-store.ts';
export { openMembers } from './eval-reader.ts';
export { jsonStringSlices } from './json-text.ts';
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
export { createLogFile, type LogFile } from './log-file.ts';
export { isLogName, logFileName } from './log-name.ts';
export { isStoredLog, type LogReader, type StoredLogReader } from './log-reader.ts';
export { readRunFromLog } from './log-run-reader.ts';
export type { CreatedLog, LogStore, OpenWritten, ReadableLogs, StoredLog } from './log-store.ts';
export { logTree } from './log-tree.ts';
export { type LoggedCode, loggedCode, revisionIn } from './logged-code.ts';
export { MemberJson } from './member-json.ts';
export type { Members } from './members.ts';
export { bestByMerit, compareMerit, type Merit, type MeritRank } from './merit.ts';
export { migrateEvent, migrateFields } from './migrate.ts';
export { openAsFarAsWhole, openFrom, verifyIn } from './open-from.ts';
export { openLog, openLogSource } from './open-log.ts';
export { pagedSource } from './paged-source.ts';
export { positionsOf } from './pool-refs.ts';
export type { SampleContext } from './read-sample.ts';
export { CONDENSED_PLACES, type ReferencePlaces } from './reference-places.ts';
export { type RepairedLog, repairedLog } from './repaired-log.ts';
export type { Position, Positioned, RunChange, RunReader } from './run-reader.ts';
export {
  answerKey,
  answersMemberName,
  readAnswer,
  type SampleAnswer,
  unionOfAnswers,
} from './sample-answers.ts';
export { ALL_PARTS, type SampleDocument, type SamplePart, type SamplePiece } from './sample-document.ts';
export { sampleMemberName } from './sample-text.ts';
export type {
  ChatMessage,
  EvalConfig,
  EvalError,
  EvalResults,
  EvalSample,
  EvalSampleReductions,
  EvalSampleSummary,
  EvalScorer,
  EvalSpec,
  EvalStats,
  LogEvent,
  LogHeader,
  LogStart,
  LogStatus,
  ModelOutput,
  ModelUsage,
  SampleFields,
  SampleLimit,
  Score,
} from './schema.ts';
export { summarize } from './summarize.ts';
export type { Scratch } from './text-store.ts';
export { scanTornLog, scanTornZip } from './torn-log.ts';
export { addUsage } from './usage.ts';
export { type LogProblem, type VerifyReport, verifyLog, verifyStoredLog } from './verify-log.ts';
export { DEFAULT_LIMITS, ZipReader } from './zip-reader.ts';
