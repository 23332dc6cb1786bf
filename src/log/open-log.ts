import { DamageError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { type ByteSource, openFileSource } from './byte-source.ts';
import { EvalLogReader } from './eval-reader.ts';
import { JsonLogReader } from './json-reader.ts';
import { logErrors } from './log-errors.ts';
import type { LogReader, StoredLogReader } from './log-reader.ts';
import type { Scratch } from './text-store.ts';
import { DEFAULT_LIMITS, type ReadLimits, ZipReader } from './zip-reader.ts';

export interface OpenLogOptions {
  /** What is refused as too large; each has a default that real logs stay far below. */
  readonly limits?: Partial<ReadLimits>;
  /** Where attachments go that do not fit in memory. Default: the system's folder for temporary files. */
  readonly scratchDir?: string;
}

/** Opens a `.eval` or `.json` log of any age. The kind is seen from its first bytes, not from its name [LOG-20]. */
export async function openLog(disk: Disk, path: string, options: OpenLogOptions = {}): Promise<LogReader> {
  return openStoredLog(disk, path, options);
}

/** The same, for the rest of this room. */
export async function openStoredLog(
  disk: Disk,
  path: string,
  options: OpenLogOptions = {},
): Promise<StoredLogReader> {
  const source = await openFileSource(disk, path);
  const scratch: Scratch = options.scratchDir === undefined ? { disk } : { disk, dir: options.scratchDir };
  return openSource(source, { ...options, scratch });
}

/** The same for bytes that are elsewhere. Without scratch space, large samples are kept in memory. */
export async function openLogSource(
  source: ByteSource,
  options: { readonly limits?: Partial<ReadLimits>; readonly scratch?: Scratch } = {},
): Promise<LogReader> {
  return openSource(source, options);
}

/** The same, for the rest of this room. */
export async function openSource(
  source: ByteSource,
  options: { readonly limits?: Partial<ReadLimits>; readonly scratch?: Scratch },
): Promise<StoredLogReader> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  try {
    return await openKind(source, { limits, scratch: options.scratch });
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function openKind(
  source: ByteSource,
  options: { readonly limits: ReadLimits; readonly scratch: Scratch | undefined },
): Promise<StoredLogReader> {
  if (source.sizeBytes === 0) throw logErrors.empty(source.name);
  const start = Buffer.from(await source.read(0, 512));
  if (start.subarray(0, 2).toString('latin1') === 'PK') {
    const zip = await ZipReader.open(source, options.limits);
    if (!EvalLogReader.isLog(zip)) throw logErrors.foreign(source.name, 'it is a ZIP of something else');
    return new EvalLogReader(zip, options);
  }
  const text = start
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart();
  if (!text.startsWith('{')) return openByItsEnd(source, options);
  const reader = new JsonLogReader(source, options);
  // A `.json` is known to be a log only when its keys have been seen.
  await reader.header();
  return reader;
}

/** A ZIP is known by its end, too: where only its beginning is overwritten, all other members are still there [LOG-38]. */
async function openByItsEnd(
  source: ByteSource,
  options: { readonly limits: ReadLimits; readonly scratch: Scratch | undefined },
): Promise<StoredLogReader> {
  try {
    const zip = await ZipReader.open(source, options.limits);
    if (EvalLogReader.isLog(zip)) return new EvalLogReader(zip, options);
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
  }
  throw logErrors.foreign(source.name, 'it is neither a ZIP nor a JSON object');
}
