/** Ids for rows that have none: made from their content, so that they stay when rows are reordered. */
import { toJson } from '../base/index.ts';
import { rowContentDigest } from './definition-digest.ts';
import type { Row } from './eval.ts';
import { textOf } from './template.ts';

const SLUG_CHARS_MAX = 24;
const DIGEST_CHARS = 12;

/** `capital-of-france-3f2a9c1b77d0`: the beginning of the input, and a digest of input, target, choices, metadata. */
export function deriveId(row: Row): string {
  const digest = rowContentDigest(row).slice(0, DIGEST_CHARS);
  const slug = slugOf(textOf(toJson(row.input)));
  return slug === '' ? digest : `${slug}-${digest}`;
}

/** Gives each row its id: its own, or a derived one. Equal rows get `-2`, `-3`, … in the order they come. */
export class IdGiver {
  readonly #seen = new Map<string, number>();

  idFor(row: Row): string | number {
    if (row.id !== undefined) return row.id;
    const id = deriveId(row);
    const times = (this.#seen.get(id) ?? 0) + 1;
    this.#seen.set(id, times);
    return times === 1 ? id : `${id}-${times}`;
  }
}

function slugOf(text: string): string {
  const words =
    text
      .slice(0, 200)
      .normalize('NFKD')
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
