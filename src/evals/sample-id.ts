/** Ids for rows that have none: made from their content, so that they stay when rows are reordered. */
import type { Digest } from '../base/index.ts';
import { identifiedDigest, rowContentDigest } from './definition-digest.ts';
import type { Row, SampleRow } from './eval.ts';

const SLUG_CHARS_MAX = 24;
const DIGEST_CHARS = 12;

/** `capital-of-france-3f2a9c1b77d0`: the beginning of the input, and a digest of input, target, choices, metadata. */
export function deriveId(row: Row): string {
  return derivedId(row, rowContentDigest(row));
}

/** A row with its id and the digest of its content. */
export interface IdentifiedRow {
  readonly row: SampleRow;
  readonly digest: Digest;
}

/** Gives each row its id: its own, or a derived one. Equal rows get `-2`, `-3`, … in the order they come. */
export class IdGiver {
  readonly #seen = new Map<string, number>();

  /** The content is hashed once for both the id and the digest, because rows can be many and long. */
  identify(row: Row): IdentifiedRow {
    const content = rowContentDigest(row);
    const id = row.id ?? this.#nextOf(derivedId(row, content));
    return { row: { ...row, id }, digest: identifiedDigest(id, content) };
  }

  #nextOf(id: string): string {
    const times = (this.#seen.get(id) ?? 0) + 1;
    this.#seen.set(id, times);
    return times === 1 ? id : `${id}-${times}`;
  }
}

function derivedId(row: Row, content: Digest): string {
  const digest = content.slice(0, DIGEST_CHARS);
  const slug = slugOf(row.input);
  // Copied, because a part of a string keeps the whole string in memory, and ids are kept for all rows.
  return slug === '' ? digest : Buffer.from(`${slug}-${digest}`, 'latin1').toString('latin1');
}

/** The first words of a text. Objects have none: the order of their keys must not matter. */
function slugOf(input: unknown): string {
  const text = typeof input === 'string' || typeof input === 'number' ? String(input) : '';
  const words =
    text
      .slice(0, 200)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (longer.length > SLUG_CHARS_MAX) break;
    slug = longer;
  }
  return slug;
}
