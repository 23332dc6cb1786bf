import { damagedJournal, emptyJournal } from './database.ts';
import type { JournalRows } from './journal-rows.ts';
import type { Records } from './record-file.ts';
import type { EndingRecord, RunRecord, WriterRecord } from './records.ts';
import { TABLES } from './schema.ts';
import { parseEnding, parseRunRecord, parseWriterOfVersion1, parseWriterRecord } from './stored-documents.ts';

export interface JournalRecordsOptions {
  readonly place: string;
  /** As the file beside the journal has them, for when its own are damaged. */
  readonly beside: Partial<Records> | undefined;
}

/** What a journal says of its run and its writer, read when first asked for. */
export class JournalRecords {
  readonly #rows: JournalRows;
  readonly #place: string;
  readonly #beside: Partial<Records>;
  #run: RunRecord | undefined;
  #writer: WriterRecord | undefined;

  constructor(rows: JournalRows, { place, beside }: JournalRecordsOptions) {
    this.#rows = rows;
    this.#place = place;
    this.#beside = beside ?? {};
  }

  run(): RunRecord {
    this.#run ??= this.#meta('run', (json) => this.#rows.runRecord(json, parseRunRecord)) ?? this.#beside.run;
    if (this.#run) return this.#run;
    throw this.#isEmpty()
      ? emptyJournal(this.#place)
      : damagedJournal(this.#place, 'its run record is damaged');
  }

  writer(): WriterRecord {
    this.#writer ??=
      this.#rows.version === 1 ? this.#writerOfVersion1() : this.#meta('writer', parseWriterRecord);
    this.#writer ??= this.#beside.writer;
    if (this.#writer) return this.#writer;
    this.run(); // Without a run record there never was a writer either, which is another thing than damage.
    throw damagedJournal(this.#place, 'its writer record is damaged');
  }

  /** In version 1 only the word of the last session counts. */
  ending(): EndingRecord | undefined {
    const row = this.#rows.one('endings', this.#rows.version === 1 ? OF_LAST_SESSION : '1');
    return row && parseEnding(String(row.data));
  }

  lastBeatMs(): number | undefined {
    const beat = this.#rows.select('SELECT beat_ms FROM lease')[0]?.beat_ms;
    return beat === undefined ? undefined : Number(beat);
  }

  /** Without one row of any kind its first transaction never happened [JRN-3]. */
  #isEmpty(): boolean {
    return TABLES.every((table) => this.#rows.select(`SELECT 1 FROM ${table} LIMIT 1`).length === 0);
  }

  #meta<T>(key: string, parse: (json: string) => T | undefined): T | undefined {
    const row = this.#rows.one('meta', 'key = ?', key);
    return row && parse(String(row.value));
  }

  #writerOfVersion1(): WriterRecord | undefined {
    const run = this.#rows.one('meta', 'key = ?', 'run');
    if (!run) return undefined;
    const session = this.#rows.select('SELECT data FROM main.sessions ORDER BY n DESC LIMIT 1')[0]?.data;
    return parseWriterOfVersion1(String(run.value), session === undefined ? undefined : String(session));
  }
}

const OF_LAST_SESSION =
  'n IN (SELECT n FROM main.endings WHERE session = (SELECT max(n) FROM main.sessions))';
