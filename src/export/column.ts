import { escapeLoneSurrogates, type Json, stringifyJson } from '../base/index.ts';

/** What a column of a table holds; every kind may also be null. */
export type Kind = 'text' | 'int' | 'number' | 'boolean' | 'time';

export interface Column {
  readonly name: string;
  readonly kind: Kind;
}

/** A value before it is fitted to its column: whatever a log holds. */
export type Raw = Json | undefined;

/** A value as its column holds it. */
export type Cell = string | bigint | number | boolean | Date | null;

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * A value in the kind of its column. Text takes everything, other values as JSON; the other kinds leave out what is not of theirs,
 * such as a count that is no whole number.
 */
export function cellOf(value: Raw, kind: Kind): Cell {
  if (value === null || value === undefined) return null;
  switch (kind) {
    case 'text':
      return typeof value === 'string' ? escapeLoneSurrogates(value) : stringifyJson(value);
    case 'int':
      return integerOf(value);
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'time':
      return timeOf(value);
  }
}

function integerOf(value: Json): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null;
  return typeof value === 'bigint' && isInt64(value) ? value : null;
}

function timeOf(value: Json): Date | null {
  const time = typeof value === 'string' ? new Date(value) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time : null;
}

function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** Finds the kind of a column whose values are users' own. Kinds that do not go together become text, so that nothing is lost. */
export class KindFinder {
  #hasText = false;
  #hasBoolean = false;
  #hasNumber = false;
  #hasFraction = false;
  #hasBigInteger = false;

  add(value: Raw): void {
    if (value === null || value === undefined) return;
    if (typeof value === 'boolean') this.#hasBoolean = true;
    else if (typeof value === 'number') {
      this.#hasNumber = true;
      if (!Number.isSafeInteger(value)) this.#hasFraction = true;
    } else if (typeof value === 'bigint' && isInt64(value)) this.#hasBigInteger = true;
    else this.#hasText = true;
  }

  get kind(): Kind {
    const isNumeric = this.#hasNumber || this.#hasBigInteger;
    if (this.#hasText || (this.#hasBoolean && isNumeric)) return 'text';
    if (this.#hasBoolean) return 'boolean';
    // A double cannot hold the one, and an integer not the other.
    if (this.#hasBigInteger) return this.#hasFraction ? 'text' : 'int';
    return this.#hasNumber ? 'number' : 'text';
  }
}
