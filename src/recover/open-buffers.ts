import { ActionableError, sampleKeyText } from '../base/index.ts';
import { type BufferReader, openBufferDatabase, spoolFilestore } from '../journal/index.ts';
import type { CrashPorts, InspectCrash } from './inspect-crash.ts';
import { instantOf } from './instant.ts';
import type { RecordCopy } from './sample-copies.ts';

export interface OpenedBuffers {
  readonly readers: readonly BufferReader[];
  readonly errors: readonly ActionableError[];
}

/**
 * Opens the buffers, databases first. A filestore repeats what its database holds, so it is only read when there is
 * none, when that one is damaged, or when it may hold something that nothing else gave up. Without `records` it is read
 * in any case.
 */
export async function openBuffers(
  crash: InspectCrash,
  ports: CrashPorts,
  records?: ReadonlyMap<string, RecordCopy>,
): Promise<OpenedBuffers> {
  const readers: BufferReader[] = [];
  const errors: ActionableError[] = [];
  for (const { path } of crash.databases) {
    try {
      readers.push(await openBufferDatabase(ports.disk, path, ports));
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      errors.push(error);
    }
  }
  const isRepeated = records !== undefined && (await isCovered(crash, readers, records));
  if (crash.filestore && !isRepeated) readers.push(await spoolFilestore(ports.disk, crash.filestore, ports));
  return { readers, errors };
}

/**
 * True when a filestore can hold nothing that was not read elsewhere: every sample of its manifest is in a sound database
 * up to its last row, or has a record of the same attempt; and every record of the log could be read, because segments
 * still hold samples that have left the manifest.
 */
async function isCovered(
  { filestore, flushed }: InspectCrash,
  readers: readonly BufferReader[],
  records: ReadonlyMap<string, RecordCopy>,
): Promise<boolean> {
  const manifest = filestore?.manifest;
  if (!manifest?.isWhole || filestore?.problems.length !== 0 || flushed?.kind !== 'log') return false;
  for (const { id, epoch } of [...flushed.keys, ...(await flushed.listed())])
    if (!records.has(sampleKeyText(id, epoch))) return false;
  const sound = readers
    .filter(({ problems }) => problems.length === 0)
    .map((reader) => ({ lastRow: reader.lastEventRow(), samples: namesIn(reader) }));
  return manifest.samples.every(({ summary, segments }) => {
    const name = sampleKeyText(String(summary.id), Number(summary.epoch));
    // Rows are committed one after the other: a database that went further holds all before.
    const isIn = ({
      lastRow,
      samples,
    }: {
      readonly lastRow: number;
      readonly samples: ReadonlySet<string>;
    }) => samples.has(name) && segments.every(({ event }) => event <= lastRow);
    return sound.some(isIn) || isRecorded(summary, records.get(name));
  });
}

function namesIn(reader: BufferReader): ReadonlySet<string> {
  return new Set(reader.samples().map(({ id, epoch }) => sampleKeyText(id, epoch)));
}

/** A cancelled record holds nothing; one of another attempt holds that one alone. */
function isRecorded(
  summary: { readonly uuid?: unknown; readonly started_at?: unknown },
  record: RecordCopy | undefined,
): boolean {
  if (!record || record.rank === 'interrupted') return false;
  const { uuid, started_at: startedAt } = summary;
  if (typeof uuid === 'string' && record.uuid !== undefined) return uuid === record.uuid;
  const started = typeof startedAt === 'string' ? instantOf(startedAt) : undefined;
  return started === undefined || record.endedAt === undefined || started <= record.endedAt;
}
