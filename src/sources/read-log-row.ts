import { ActionableError, digestOf, messageOf, type RunId } from '../base/index.ts';
import {
  type LogReader,
  openAsFarAsWhole,
  type ReadableLogs,
  type RepairedLog,
  repairedLog,
  type StoredLog,
} from '../log/index.ts';
import { countSamples, countsOfHeader, foreignRunId, rowOf, runOf } from '../results/index.ts';
import type { SourceRow } from './source-row.ts';

/** What a look into a log tells. */
export type LogLook =
  | { readonly kind: 'row'; readonly run: RunId; readonly mark: string; readonly row: SourceRow }
  /** It is what it was when it was remembered. */
  | { readonly kind: 'same' }
  | { readonly kind: 'damage'; readonly run: RunId; readonly damage: string };

/**
 * The list row of a log from its header, and from the list of its samples where that is short or the header says nothing of them. With the
 * mark that is remembered of it, a log that still has that mark is not read any further. Undefined when it is gone.
 */
export async function readLogRow(
  logs: ReadableLogs,
  stored: StoredLog,
  remembered: string | undefined,
): Promise<LogLook | undefined> {
  let run = idByName(stored);
  try {
    const opened = await openAsFarAsWhole(logs, stored.name);
    if (!opened) return undefined;
    const log = repairedLog(opened.log);
    try {
      // One that was cut off since has the same members.
      const mark = opened.torn ? undefined : markOf(log);
      if (mark !== undefined && mark === remembered) return { kind: 'same' };
      const header = await log.header();
      run = runOf(header);
      const damage = opened.torn?.message ?? log.damage[0]?.message;
      if (damage !== undefined) return { kind: 'damage', run, damage };
      return { kind: 'row', run, mark: mark ?? '', row: await rowOfLog(log, stored) };
    } finally {
      await log.close();
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return { kind: 'damage', run, damage: messageOf(error) };
  }
}

async function rowOfLog(log: RepairedLog, { name, sizeBytes }: StoredLog): Promise<SourceRow> {
  const header = await log.header();
  const samples = await log.samples();
  const members = log.members();
  const counts =
    (isListShort(members) ? undefined : countsOfHeader(header, samples.length)) ?? (await countSamples(log));
  const about =
    members.length === 0
      ? { name, sizeBytes }
      : { name, sizeBytes: members.reduce((sum, one) => sum + one.sizeBytes, 0), documents: members.length };
  return { ...rowOf(header, counts), log: about };
}

/** A list of so many bytes is read at once, and tells what passed and how sure its scores are; the header does not. */
const LIST_BYTES_MAX = 256 * 1024;

function isListShort(members: ReturnType<LogReader['members']>): boolean {
  const list = members.find(({ name }) => name === 'summaries.json');
  return list !== undefined && list.sizeBytes <= LIST_BYTES_MAX;
}

/** By the checksums in the directory of the ZIP; undefined for a log that has none. */
function markOf(log: LogReader): string | undefined {
  const members = log.members();
  if (members.length === 0) return undefined;
  const lines = members.map(({ name, sizeBytes, crc }) => `${name}\n${sizeBytes} ${crc}\n`);
  return digestOf(lines.join('')).slice(0, 32);
}

const NAME_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)[:-](\d\d)[:-](\d\d)(?:([+-])(\d\d)[:-](\d\d))?/;

/** Where a log stands that does not say what run it is of: by the time in its name [LOG-7], or when it was written. */
function idByName({ name, modifiedMs }: StoredLog): RunId {
  const [, day, hour, minute, second, sign = '+', zoneHour = '00', zoneMinute = '00'] =
    NAME_TIME.exec(name) ?? [];
  const named = `${day}T${hour}:${minute}:${second}${sign}${zoneHour}:${zoneMinute}`;
  const isTime = day !== undefined && !Number.isNaN(Date.parse(named));
  return foreignRunId(name, isTime ? named : new Date(Math.round(modifiedMs)).toISOString());
}
