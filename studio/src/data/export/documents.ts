import type { z } from 'zod';
import type { DocumentPlace } from '../../../../src/server/api.ts';
import { damagedDocument } from './export-problems.ts';

/** Parsed documents are kept as long as their texts have no more UTF-16 units than that together. */
const KEPT_UNITS_MAX = 24_000_000;

/** Where the texts of chunks come from, by their keys. */
export interface Chunks {
  load(key: string): Promise<string>;
}

interface Kept {
  readonly document: Promise<unknown>;
  readonly units: number;
}

/** Reads documents by their places [EXP-4], and keeps those that were read last. */
export class Documents {
  readonly #chunks: Chunks;
  /** In the order of use. */
  readonly #kept = new Map<string, Kept>();
  #keptUnits = 0;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
  }

  /** The document as its schema has it: parsed once for as long as it is kept. */
  async read<Schema extends z.ZodType>(place: DocumentPlace, schema: Schema): Promise<z.output<Schema>> {
    const document = await this.#once(place, async () => checked(schema, JSON.parse(await this.text(place))));
    return document as z.output<Schema>;
  }

  /** Not kept: for whoever goes through many. */
  async readOnce(place: DocumentPlace): Promise<unknown> {
    return JSON.parse(await this.text(place));
  }

  /** As it is written. */
  async text([chunk, from, length]: DocumentPlace): Promise<string> {
    let text = (await this.#chunks.load(String(chunk))).slice(from, from + length);
    for (let next = chunk + 1; text.length < length; next += 1)
      text += (await this.#chunks.load(String(next))).slice(0, length - text.length);
    return text;
  }

  #once(place: DocumentPlace, read: () => Promise<unknown>): Promise<unknown> {
    const key = place.join(' ');
    const known = this.#kept.get(key);
    if (known) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.document;
    }
    const document = read();
    // Whoever asked is told; the next one tries again.
    document.catch(() => this.#forget(key));
    this.#kept.set(key, { document, units: place[2] });
    this.#keptUnits += place[2];
    for (const oldest of this.#kept.keys()) {
      if (this.#keptUnits <= KEPT_UNITS_MAX || oldest === key) break;
      this.#forget(oldest);
    }
    return document;
  }

  #forget(key: string): void {
    this.#keptUnits -= this.#kept.get(key)?.units ?? 0;
    this.#kept.delete(key);
  }
}

function checked(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw damagedDocument(`${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'unknown'}`);
}
