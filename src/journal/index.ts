export { AttemptWriter, type RowSink } from './attempt-writer.ts';
export {
  type FoundJournal,
  findJournals,
  journalLiveness,
  sweepShells,
  type UnreadableJournal,
} from './find-journals.ts';
export {
  type ImportOptions,
  type ImportReport,
  importSegments,
  listSegmentedRuns,
  listWriters,
} from './import-segments.ts';
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
export {
  adoptJournal,
  createJournal,
  JOURNAL_FILE,
  Journal,
  type JournalPorts,
  LOCK_FILE,
} from './journal.ts';
export { JournalReader, readJournal } from './reader.ts';
export type {
  AnswerRow,
  AttemptOutline,
  AttemptResult,
  AttemptRow,
  AttemptStart,
  AttemptStatus,
  EndingRecord,
  ReusedOutline,
  ReusedSample,
  RunIdentity,
  RunRecord,
  SessionRecord,
  TargetOutput,
} from './records.ts';
export { type SalvageReport, salvageJournal } from './salvage-journal.ts';
export { decodeSegment, encodeSegment, segmentKey, segmentPrefix } from './segment.ts';
export { SegmentShipper, type ShipperOptions } from './shipper.ts';
