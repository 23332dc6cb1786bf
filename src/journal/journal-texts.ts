import type { Json } from '../base/index.ts';
import type { DamageNotes } from './damage-notes.ts';
import type { JournalRows, Row } from './journal-rows.ts';
import { putBackTexts } from './long-texts.ts';
import { tryParse } from './stored-documents.ts';
import { textOfBytes } from './text-bytes.ts';

const LOST_TEXT = '(this text was lost: the journal is damaged)';
/** Stands for a message that is lost, so that all others keep their positions. */
export const LOST_MESSAGE = JSON.stringify({ role: 'user', content: LOST_TEXT });

/** The texts of a journal that are stored once, by hash, and the documents and links that refer to them. */
export class JournalTexts {
  readonly #rows: JournalRows;
  readonly #notes: DamageNotes;

  constructor(rows: JournalRows, notes: DamageNotes) {
    this.#rows = rows;
    this.#notes = notes;
  }

  content(hash: string): string | undefined {
    const text = this.#rows.one('contents', 'hash = ?', hash)?.text;
    return text instanceof Uint8Array ? textOfBytes(text) : undefined;
  }

  /** What a link of an attempt leads to. */
  linked(n: number, row: Row): string | undefined {
    if (typeof row.text === 'string') return row.text;
    const text = this.content(String(row.hash));
    if (text === undefined) this.#notes.attempt(n, `a text that it refers to (${row.hash}) is not there`);
    return text;
  }

  /** An entry of a pool, as JSON. In version 1 no checksum vouches for it. */
  entry(n: number, row: Row): string | undefined {
    const text = this.linked(n, row);
    if (text === undefined || this.#rows.version !== 1 || tryParse(text) !== undefined) return text;
    this.#notes.attempt(n, `row ${row.n} of links leads to what is no JSON`);
    return undefined;
  }

  /** A document of an attempt with its texts put back; undefined when it is no JSON, or one of them is lost. */
  whole(n: number, json: unknown): Json | undefined {
    const value = typeof json === 'string' ? tryParse(json) : undefined;
    if (value === undefined) {
      this.#notes.attempt(n, 'one of its documents is no JSON');
      return undefined;
    }
    let isWhole = true;
    const whole = this.#putBack(n, value, () => {
      isWhole = false;
    });
    return isWhole ? whole : undefined;
  }

  /** A document in which a lost text stands as such. */
  asFarAsThere(n: number, json: unknown): Json {
    const value = typeof json === 'string' ? tryParse(json) : undefined;
    return this.#putBack(n, value ?? null, () => undefined);
  }

  #putBack(n: number, value: Json, onLost: () => void): Json {
    return putBackTexts(value, (hash) => {
      const text = this.content(hash);
      if (text !== undefined) return text;
      this.#notes.attempt(n, `a text that it refers to (${hash}) is not there`);
      onLost();
      return LOST_TEXT;
    });
  }
}
