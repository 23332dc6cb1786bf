import { isJsonObject } from '../base/index.ts';
import type { JournalReader } from './journal-reader.ts';
import type { Cursors } from './segment.ts';
import { tryParse } from './stored-documents.ts';
import { collectRows, NOTHING_SHIPPED } from './unshipped-rows.ts';

/**
 * True when the bucket has every row of a journal, by what its writer noted after each segment that it shipped [SEG-4]. Of one that is damaged
 * nobody can say that.
 */
export function isShipped(reader: JournalReader): boolean {
  if (reader.damage().sentences.length > 0) return false;
  return collectRows(reader, shippedUpTo(reader), 0).isAll;
}

function shippedUpTo(reader: JournalReader): Cursors {
  const [last] = reader.rows.select('SELECT data FROM shipped ORDER BY n DESC LIMIT 1');
  const noted = tryParse(String(last?.data ?? ''));
  const cursors = isJsonObject(noted) ? noted.cursors : undefined;
  return isJsonObject(cursors) ? { ...NOTHING_SHIPPED, ...numbersIn(cursors) } : NOTHING_SHIPPED;
}

function numbersIn(cursors: Readonly<Record<string, unknown>>): Cursors {
  return Object.fromEntries(
    Object.entries(cursors).flatMap(([table, n]) => (typeof n === 'number' ? [[table, n]] : [])),
  );
}
