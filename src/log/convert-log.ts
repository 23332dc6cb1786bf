import { basename, dirname, join } from 'node:path';
import { shortId, systemRandom, UsageError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { CompressionMethod } from './compress.ts';
import { writeJsonLog } from './json-log-file.ts';
import { createLogFile, type LogFile } from './log-file.ts';
import type { StoredLogReader } from './log-reader.ts';
import { openStoredLog } from './open-log.ts';
import type { LogHeader } from './schema.ts';
import { summarize } from './summarize.ts';

export interface ConvertOptions {
  readonly from: string;
  /** Its ending decides: `.eval` or `.json`. What is there is replaced. */
  readonly to: string;
  /** For `.eval`; default zstd. */
  readonly method?: CompressionMethod;
}

/**
 * Writes a log in another form: `.json` ↔ `.eval`, or `.eval` with another compression.
 *
 * ### Ordering
 * Whole or absent: a temporary file beside the target, synced, renamed, and its directory synced. The source is only
 * read. A crash leaves at most the temporary file, whose name says what it is.
 */
export async function convertLog(
  disk: Disk,
  options: ConvertOptions,
): Promise<{ readonly sizeBytes: number }> {
  const isJson = options.to.endsWith('.json');
  if (!isJson && !options.to.endsWith('.eval')) throw unknownForm(options.to);
  const reader = await openStoredLog(disk, options.from);
  const temp = join(dirname(options.to), `.${basename(options.to)}.${shortId(systemRandom)}.tmp`);
  try {
    const size = isJson
      ? await writeJsonLog(disk, temp, reader)
      : await writeEvalLog(await createLogFile(disk, temp, toFileOptions(options)), reader);
    await disk.rename(temp, options.to);
    await disk.syncDir(dirname(options.to));
    return size;
  } catch (error) {
    await disk.remove(temp);
    throw error;
  } finally {
    await reader.close();
  }
}

async function writeEvalLog(file: LogFile, reader: StoredLogReader): Promise<{ readonly sizeBytes: number }> {
  try {
    if (reader.members().length > 0) await recompress(file, reader);
    else await buildFromSamples(file, reader);
    return await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}

/** A `.eval` keeps its members as they are; only what an earlier one hid (a name that is there twice) is left behind. */
async function recompress(file: LogFile, reader: StoredLogReader): Promise<void> {
  for (const { name } of reader.members()) {
    const chunks = reader.readMember(name);
    if (chunks) await file.writeMember(name, chunks);
  }
}

async function buildFromSamples(file: LogFile, reader: StoredLogReader): Promise<void> {
  const header = await reader.header();
  await file.writeStart({ version: header.version, eval: header.eval, plan: header.plan });
  const keys = await reader.samples();
  for (const { id, epoch } of keys) {
    const parts = await reader.parts(id, epoch);
    if (parts) await file.writeSample(parts);
  }
  await file.writeSummaries(rows(reader));
  const reductions = await reader.reductions();
  if (reductions) await file.writeReductions(reductions);
  if (header.status !== 'started') await file.writeHeader(header);
  else await writeConfigUpdates(file, header);
}

/** What was changed while the run went on stands in the header of a finished log, and in members of its own before. */
async function writeConfigUpdates(file: LogFile, header: LogHeader): Promise<void> {
  for (const [index, update] of (header.config_updates ?? []).entries())
    await file.writeJson(`_journal/config_updates/${index + 1}.json`, update);
}

async function* rows(reader: StoredLogReader) {
  for (const { id, epoch } of await reader.samples()) {
    const fields = await reader.sampleFields(id, epoch);
    if (fields) yield summarize(fields);
  }
}

function toFileOptions(options: ConvertOptions) {
  return options.method === undefined ? {} : { method: options.method };
}

function unknownForm(path: string): UsageError {
  return new UsageError({
    code: 'E_LOG_FORM',
    message: `${path} ends neither in .eval nor in .json, so its form is unknown.`,
    hint: 'Choose a name that ends in .eval or .json.',
  });
}
