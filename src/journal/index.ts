export { AttemptWriter, type RowSink } from './attempt-writer.ts';
export { type CreateWriterOptions, createWriter, type WriterPorts } from './create-writer.ts';
export { type FencePlace, fenceWriter, fenceWriterInBucket } from './fence.ts';
export { type FoundRun, type FoundWriter, findRuns, sweepShells, type UnreadableRun } from './find-runs.ts';
export {
  type ImportOptions,
  type ImportReport,
  importWriter,
  listSegmentedRuns,
  listWriters,
} from './import-writer.ts';
export type { BufferProblem } from './inspect/buffer-problem.ts';
export {
  type BufferedSample,
  type BufferGap,
  type BufferKey,
  BufferReader,
  bufferKeyText,
  type EventRow,
  type PoolKind,
  type PoolRow,
} from './inspect/buffer-reader.ts';
export { type Filestore, findFilestore } from './inspect/filestore.ts';
export {
  type FoundBufferDatabase,
  findBufferDatabases,
  parseBufferPath,
  platformDataDirs,
} from './inspect/locate-buffer.ts';
export { openBufferDatabase } from './inspect/open-buffer-database.ts';
export { openBucketSource, spoolFilestore } from './inspect/spool-filestore.ts';
export { JournalReader } from './journal-reader.ts';
export { JournalWriter } from './journal-writer.ts';
export { journalPath, runLockPath, writerDir } from './layout.ts';
export { readJournal } from './read-journal.ts';
export { type ReadRunOptions, readRunFromJournals } from './read-run.ts';
export type {
  AnswerRow,
  AttemptOutline,
  AttemptResult,
  AttemptRow,
  AttemptStart,
  AttemptStatus,
  EndingRecord,
  JournalDamage,
  LostRows,
  Origin,
  ReusedOutline,
  ReusedSample,
  ReuseMode,
  RunIdentity,
  RunRecord,
  TargetOutput,
  WriterRecord,
} from './records.ts';
export { type From, type OpenRunJournalsOptions, openRunJournals, RunJournals } from './run-journals.ts';
export { lockRun, type RunLock } from './run-lock.ts';
export { decodeSegment, encodeSegment, segmentKey, segmentPrefix } from './segment.ts';
export { keepSegmentKeys, segmentKeysOf } from './segment-keys.ts';
export { SegmentShipper, type ShipperOptions } from './shipper.ts';
export { STATE_FOLDER, StateDir } from './state-dir.ts';
export { worstLiveness, writerLiveness } from './writer-liveness.ts';
export { type WriterPlace, writersIn } from './writers-in.ts';
