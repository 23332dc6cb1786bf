import { basename, dirname } from 'node:path';
import { assert, DamageError, UsageError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { CompressionMethod } from './compress.ts';
import { directoryLogStore } from './directory-log-store.ts';
import { writeJsonLog } from './json-log-file.ts';
import type { LogFile } from './log-file.ts';
import type { StoredLogReader } from './log-reader.ts';
import type { Verdict } from './log-store.ts';
import { checkLogName, filling } from './make-log.ts';
import { openStoredLog } from './open-log.ts';
import type { LogHeader } from './schema.ts';
import { summarize } from './summarize.ts';
import type { VerifyReport } from './verify-log.ts';

export interface ConvertOptions {
  readonly from: string;
  /** Its ending decides: `.eval` or `.json`. */
  readonly to: string;
  /** Default true: what is there is replaced. Otherwise it is left alone (E_FILE_EXISTS). */
  readonly replace?: boolean;
  /** For `.eval`; default zstd. */
  readonly method?: CompressionMethod;
}

/**
 * Writes a log in another form: `.json` ↔ `.eval`, or `.eval` with another compression. The source is only read, and
 * the new log comes to be as every log does [STORE-3]. Damage is not hidden by converting it: what does not read back is refused.
 */
export async function convertLog(
  disk: Disk,
  options: ConvertOptions,
): Promise<{ readonly sizeBytes: number }> {
  const { from, to, method, replace = true } = options;
  checkLogName(basename(to));
  const reader = await openStoredLog(disk, from);
  try {
    const write = (file: LogFile) => writeEvalLog(file, reader);
    const toEval = filling(method === undefined ? { write } : { write, method });
    const toJson: typeof toEval = async (_, path) => ({
      written: undefined,
      ...(await writeJsonLog(disk, path, reader)),
    });
    const made = await directoryLogStore(disk, dirname(to)).make(basename(to), {
      fill: to.endsWith('.json') ? toJson : toEval,
      replace,
      judge: judgeConverted,
    });
    if (made.outcome === 'exists') throw exists(to);
    assert(made.outcome === 'created', 'a conversion sets nothing aside');
    return { sizeBytes: made.sizeBytes };
  } finally {
    await reader.close();
  }
}

function exists(path: string): UsageError {
  return new UsageError({
    code: 'E_FILE_EXISTS',
    message: `${path} exists already.`,
    hint: 'Name another file, or replace it with --force.',
  });
}

async function writeEvalLog(file: LogFile, reader: StoredLogReader): Promise<void> {
  if (reader.members().length > 0) await recompress(file, reader);
  else await buildFromSamples(file, reader);
}

/**
 * A `.eval` keeps its members as they are; only what an earlier one hid (a name that is there twice) is left behind.
 * The header of a log of ours is written anew: version 0.1.0 put words into it that Inspect does not read.
 */
async function recompress(file: LogFile, reader: StoredLogReader): Promise<void> {
  const header = await reader.header();
  const isOurs = header.eval.packages.holdfast !== undefined;
  for (const { name } of reader.members()) {
    const chunks = reader.readMember(name);
    if (isOurs && name === 'header.json') await file.writeHeader(header);
    else if (chunks) await file.writeMember(name, chunks);
  }
}

/** What a log lacks, its conversion lacks too. Only what cannot be read back is refused. */
function judgeConverted({ path, problems }: VerifyReport): Verdict {
  const unreadable = problems.find(({ code }) => code.startsWith('E_'));
  if (!unreadable) return 'commit';
  throw new DamageError({
    code: 'E_LOG_NOT_WHOLE',
    message: `The converted log ${path} does not read back (${unreadable.member}: ${unreadable.message}).`,
    hint: 'It was not kept, and the log it was made from is untouched. Run "holdfast log verify" on that one.',
  });
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
