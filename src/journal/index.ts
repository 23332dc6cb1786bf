export { addSegments } from './add-segments.ts';
export { AttemptWriter, type RowSink } from './attempt-writer.ts';
export { briefRunRecord } from './brief-run-record.ts';
export { createWriter } from './create-writer.ts';
export { fenceWriter, fenceWriterInBucket } from './fence.ts';
export {
  type FoundRun,
  findRunIn,
  findRuns,
  lookAtWriters,
  runIdsIn,
  sweepShells,
  type UnreadableRun,
} from './find-runs.ts';
export { importWriter } from './import-writer.ts';
export {
  type BufferedSample,
  type BufferGap,
  type BufferKey,
  BufferReader,
  type EventRow,
  type PoolKind,
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
export { isShipped } from './is-shipped.ts';
export { journalBusy } from './journal-errors.ts';
export { JournalReader } from './journal-reader.ts';
export { JournalWriter } from './journal-writer.ts';
export { lastSignMs } from './last-sign.ts';
export { journalPath, runLockPath, writerDir } from './layout.ts';
export {
  type ListedChains,
  listSegmentedRuns,
  listSegments,
  listSegmentsOf,
  listWriters,
  segmentCount,
} from './list-segments.ts';
export { readJournal } from './read-journal.ts';
export { readRunFromJournals } from './read-run.ts';
export { readRecordObject } from './record-object.ts';
export type {
  AttemptOutline,
  AttemptRow,
  AttemptStart,
  AttemptStatus,
  Origin,
  ReusedOutline,
  RunRecord,
  TargetOutput,
  WriterRecord,
} from './records.ts';
export { lookAtRun, openRunJournals, RunJournals } from './run-journals.ts';
export { lockRun, type RunLock } from './run-lock.ts';
export { costsInSegments } from './segment-costs.ts';
export { segmentKeysOf } from './segment-keys.ts';
export { shipDead } from './ship-dead.ts';
export { SegmentShipper } from './shipper.ts';
export { isNameless } from './stand-in-records.ts';
export { STATE_FOLDER, StateDir } from './state-dir.ts';
export { worstLiveness, writerLiveness } from './writer-liveness.ts';
export { writersIn } from './writers-in.ts';
