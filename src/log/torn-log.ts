import { ActionableError } from '../base/index.ts';
import type { ByteSource } from './byte-source.ts';
import { EvalLogReader } from './eval-reader.ts';
import type { LogReader } from './log-reader.ts';
import type { Scratch } from './text-store.ts';
import { LOCAL_BYTES, LOCAL_SIGNATURE, unmask, type ZipEntry } from './zip-format.ts';
import { DEFAULT_LIMITS, ZipReader } from './zip-reader.ts';

/** What could be saved of a log whose end is missing. */
export interface Salvage {
  /**
   * Reads the whole members; undefined when there is neither a start nor a sample among them. Without a start, `header` says
   * that: a retry of Inspect begins with the records of the attempt before, and writes its own start after them.
   */
  readonly reader: LogReader | undefined;
  /** True when they say which run it is of. */
  readonly isKnown: boolean;
  readonly members: readonly string[];
  /** Bytes at the end that belong to no whole member. */
  readonly lostBytes: number;
}

const FLAG_DATA_DESCRIPTOR = 0x0008;

/**
 * Finds the whole members of a torn log by going from local header to local header, which works because logs keep the
 * sizes there [LOG-3]. A member counts only when its checksum matches; what follows damage is looked for no further,
 * because a compressed text may hold anything that looks like a header.
 */
export async function scanTornLog(
  source: ByteSource,
  options: { readonly scratch?: Scratch } = {},
): Promise<Salvage> {
  const { zip: found, lostBytes } = await scanTornZip(source);
  const zip = ZipReader.ofEntries(source, withoutEarlierEnd(found.entries));
  const isAnything = EvalLogReader.isLog(zip) || EvalLogReader.hasSamples(zip);
  const reader = isAnything
    ? new EvalLogReader(zip, { limits: DEFAULT_LIMITS, scratch: options.scratch })
    : undefined;
  return { reader, isKnown: EvalLogReader.isLog(zip), members: [...zip.entries.keys()], lostBytes };
}

/** The same for who needs a log that tells which run it is of: undefined, and nothing is open, when it does not. */
export async function openTornSource(source: ByteSource, scratch: Scratch): Promise<LogReader | undefined> {
  const { reader, isKnown } = await scanTornLog(source, { scratch });
  if (isKnown) return reader;
  await source.close();
  return undefined;
}

/**
 * A log that was begun with the bytes of an earlier attempt still has that one's end in it, which only its directory left
 * out: what ends a log and stands before its start belongs to another.
 */
function withoutEarlierEnd(entries: ReadonlyMap<string, ZipEntry>): Map<string, ZipEntry> {
  const start = entries.get('_journal/start.json')?.headerOffset ?? 0;
  const isEarlier = ({ name, headerOffset }: ZipEntry) => END_MEMBERS.has(name) && headerOffset < start;
  return new Map([...entries].filter(([, entry]) => !isEarlier(entry)));
}

const END_MEMBERS: ReadonlySet<string> = new Set(['header.json', 'summaries.json', 'reductions.json']);

/** The same for any ZIP that keeps sizes in its local headers: the segments of Inspect's buffer are such. */
export async function scanTornZip(
  source: ByteSource,
): Promise<{ readonly zip: ZipReader; readonly lostBytes: number }> {
  const entries = new Map<string, ZipEntry>();
  let position = 0;
  while (true) {
    const found = await readLocalEntry(source, position);
    if (!found || !(await isWhole(source, found.entry))) break;
    entries.set(found.entry.name, found.entry);
    position = found.end;
  }
  return { zip: ZipReader.ofEntries(source, entries), lostBytes: source.sizeBytes - position };
}

async function readLocalEntry(
  source: ByteSource,
  position: number,
): Promise<{ readonly entry: ZipEntry; readonly end: number } | undefined> {
  const header = Buffer.from(await source.read(position, LOCAL_BYTES));
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE) return undefined;
  if (header.readUInt16LE(6) & FLAG_DATA_DESCRIPTOR) return undefined;
  const nameBytes = header.readUInt16LE(26);
  const extraBytes = header.readUInt16LE(28);
  const rest = Buffer.from(await source.read(position + LOCAL_BYTES, nameBytes + extraBytes));
  if (rest.length < nameBytes + extraBytes) return undefined;
  const sizes = unmask([header.readUInt32LE(22), header.readUInt32LE(18)], rest.subarray(nameBytes));
  if (!sizes) return undefined;
  const [sizeBytes = 0, compressedBytes = 0] = sizes;
  const end = position + LOCAL_BYTES + nameBytes + extraBytes + compressedBytes;
  if (end > source.sizeBytes) return undefined;
  const entry: ZipEntry = {
    name: rest.toString('utf8', 0, nameBytes),
    method: header.readUInt16LE(8),
    crc: header.readUInt32LE(14),
    compressedBytes,
    sizeBytes,
    headerOffset: position,
  };
  return { entry, end };
}

async function isWhole(source: ByteSource, entry: ZipEntry): Promise<boolean> {
  const zip = ZipReader.ofEntries(source, new Map());
  try {
    for await (const _ of zip.readMember(entry));
    return true;
  } catch (error) {
    if (error instanceof ActionableError) return false;
    throw error;
  }
}
