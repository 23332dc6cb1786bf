import type { BufferGap, BufferKey, BufferReader, EventRow, PoolKind } from '../journal/index.ts';

/**
 * One sample as one or more buffers hold it whose rows are numbered alike: Inspect's database, and the segments that
 * were made from it. What either has is there; rows are told apart by their number, so nothing is counted twice.
 */
export class BufferedCopy {
  readonly key: BufferKey;
  readonly readers: readonly BufferReader[];
  /** For each event the row that holds its last version. Only numbers are held: there may be a million. */
  readonly events: readonly number[];

  constructor(key: BufferKey, readers: readonly BufferReader[]) {
    this.key = key;
    this.readers = readers;
    const [first] = readers;
    const rows =
      first && readers.length === 1
        ? first.iterateEventRows(key)
        : mergeRows(readers.map((reader) => reader.eventRows(key)));
    this.events = collapseVersions(rows);
  }

  get kinds(): readonly BufferReader['kind'][] {
    return this.readers.map(({ kind }) => kind);
  }

  /** A row that one source holds damaged may be whole in another. */
  event(row: number): { readonly tag: string; readonly json: string } | undefined {
    return firstOf(this.readers, (reader) => reader.event(row));
  }

  summary() {
    return (
      firstOf(this.readers, (reader) => {
        const summary = reader.summary(this.key);
        return summary && isFinal(summary) ? summary : undefined;
      }) ?? firstOf(this.readers, (reader) => reader.summary(this.key))
    );
  }

  metadata() {
    return firstOf(this.readers, (reader) => reader.metadata(this.key));
  }

  poolRows(kind: PoolKind): readonly number[] {
    const rows = new Set<number>();
    for (const reader of this.readers) for (const { row } of reader.poolRows(this.key, kind)) rows.add(row);
    return [...rows].sort((a, b) => a - b);
  }

  poolText(kind: PoolKind, row: number): string | undefined {
    return firstOf(this.readers, (reader) => reader.poolText(kind, row));
  }

  *attachments(): Iterable<{ readonly hash: string; readonly text: string }> {
    for (const reader of this.readers) yield* reader.attachments(this.key);
  }

  attachment(hash: string): string | undefined {
    return firstOf(this.readers, (reader) => reader.attachment(this.key, hash));
  }

  /** Where rows are missing. The database holds every row that was ever made, so with it there are no gaps. */
  gaps(): readonly BufferGap[] {
    if (this.readers.some((reader) => reader.kind === 'database' && reader.problems.length === 0)) return [];
    return this.readers.flatMap((reader) => reader.gaps(this.key));
  }
}

/** `completed_at` exists since 0.3.154; before, `completed` said it. */
export function isFinal(summary: { readonly completed_at?: unknown; readonly completed?: unknown }): boolean {
  return (summary.completed_at ?? null) !== null || summary.completed === true;
}

/**
 * The row of each event's last version, in the order in which the events first appeared. Rows without an id are each an
 * event of their own.
 */
export function collapseVersions(rows: Iterable<EventRow>): readonly number[] {
  const lastRows: number[] = [];
  const places = new Map<string, number>();
  for (const { row, eventId } of rows) {
    const place = eventId === '' ? undefined : places.get(eventId);
    if (place !== undefined) {
      lastRows[place] = row;
      continue;
    }
    if (eventId !== '') places.set(eventId, lastRows.length);
    lastRows.push(row);
  }
  return lastRows;
}

/** Ascending lists as one ascending list, each row once. */
export function mergeRows(lists: readonly (readonly EventRow[])[]): readonly EventRow[] {
  const rows = new Map<number, EventRow>();
  for (const list of lists) for (const row of list) if (!rows.has(row.row)) rows.set(row.row, row);
  return [...rows.values()].sort((a, b) => a.row - b.row);
}

/** Whether two sources number their rows alike: no row has two ids. */
export function isSameNumbering(one: readonly EventRow[], other: readonly EventRow[]): boolean {
  const known = new Map(one.map(({ row, eventId }) => [row, eventId]));
  let shared = 0;
  for (const { row, eventId } of other) {
    const found = known.get(row);
    if (found === undefined) continue;
    if (found !== eventId) return false;
    shared++;
  }
  return shared > 0 || one.length === 0 || other.length === 0;
}

function firstOf<T, R>(items: readonly T[], find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
