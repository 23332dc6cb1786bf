import { type SampleKey, sampleKeyText } from '../base/index.ts';
import type { FlushedLog } from './flushed-log.ts';
import { instantOf } from './instant.ts';
import type { RecordCopy } from './sample-copies.ts';
import { rankOf } from './sample-rank.ts';

/**
 * The records of a crashed log that can be read to their end. One whose bytes are damaged is none: it holds nothing, and
 * is a problem of the log.
 */
export async function readRecords(flushed: FlushedLog): Promise<ReadonlyMap<string, RecordCopy>> {
  const told = await listRecords(flushed);
  const records = new Map<string, RecordCopy>();
  for (const key of flushed.keys) {
    const name = sampleKeyText(key.id, key.epoch);
    if (!(await flushed.isReadable(key))) continue;
    const record = told.get(name) ?? (await recordOf(flushed, key));
    if (record) records.set(name, record);
  }
  return records;
}

/**
 * What the log's own list says of its records, none of which is read. Of a torn log nothing is believed: the end of the
 * list, which tells of the last records, may be what was cut off.
 */
export async function listRecords(flushed: FlushedLog): Promise<ReadonlyMap<string, RecordCopy>> {
  const records = new Map<string, RecordCopy>();
  if (flushed.kind === 'torn log') return records;
  const held = new Set(flushed.keys.map(({ id, epoch }) => sampleKeyText(id, epoch)));
  for await (const row of flushed.rows()) {
    const name = sampleKeyText(row.id, row.epoch);
    if (held.has(name)) records.set(name, copyOf({ id: row.id, epoch: row.epoch }, row));
  }
  return records;
}

async function recordOf(flushed: FlushedLog, key: SampleKey): Promise<RecordCopy | undefined> {
  const fields = await flushed.fields(key);
  return fields && copyOf(key, { ...fields, error: fields.error?.message ?? null });
}

interface RecordFacts {
  readonly uuid?: string | null;
  readonly error?: string | null;
  readonly started_at?: string | null;
  readonly completed_at?: string | null;
}

function copyOf(key: SampleKey, facts: RecordFacts): RecordCopy {
  const ended = instantOf(facts.completed_at ?? undefined) ?? instantOf(facts.started_at ?? undefined);
  return { from: 'record', key, rank: rankOf(facts), uuid: facts.uuid ?? undefined, endedAt: ended };
}
