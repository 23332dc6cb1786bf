import type { Json, JsonObject } from '../../base/index.ts';
import { type KeyKind, keysReader } from './keys-reader.ts';
import { type Kind, Wrong } from './kind.ts';

/**
 * The kind of every key of a document. The compiler asks for each of them, so a key that joins the type joins the reader. A
 * key without a mark is required: missing or wrong, it makes the document wrong. Null counts as missing where the kind has
 * no null.
 */
export type Kinds<T> = {
  readonly [Key in keyof T as string extends Key ? never : Key]-?: undefined extends T[Key]
    ? OptionalKey<Exclude<T[Key], undefined>>
    : Kind<T[Key]> | FilledKey<T[Key]>;
};

/** A key that its type may lack. */
interface OptionalKey<T> {
  readonly kind: Kind<T>;
  readonly isVital: boolean;
  readonly absent: undefined;
}

/** A key that is always there, if need be with a value that stands for none. */
interface FilledKey<T> {
  readonly kind: Kind<T>;
  readonly isVital: boolean;
  readonly absent: T;
}

/** May be missing; of the wrong kind, it is left out. */
export function optional<T extends Json>(kind: Kind<T>): OptionalKey<T> {
  return { kind, isVital: false, absent: undefined };
}

/** May be missing, but of the wrong kind it makes the document wrong: left out, it would change what the document says. */
export function vital<T extends Json>(kind: Kind<T>): OptionalKey<T> {
  return { kind, isVital: true, absent: undefined };
}

/** Missing or of the wrong kind, it is `absent`. */
export function otherwise<T extends Json>(kind: Kind<T>, absent: T): FilledKey<T> {
  return { kind, isVital: false, absent };
}

/** Missing, it is `absent`; of the wrong kind it makes the document wrong. */
export function vitalOr<T extends Json>(kind: Kind<T>, absent: T): FilledKey<T> {
  return { kind, isVital: true, absent };
}

/** Keys that the table does not name pass as they are [LOG-2]. */
export function objectOf<T extends JsonObject>(kinds: Kinds<T>): Kind<T> {
  return keysReader(keysOf(kinds));
}

const MISSING = new Wrong(undefined);

function keysOf<T>(kinds: Kinds<T>): readonly KeyKind[] {
  const entries: readonly (readonly [string, Kind<Json> | Omit<KeyKind, 'name'>])[] = Object.entries(kinds);
  return entries.map(([name, key]) =>
    typeof key === 'function' ? { name, kind: key, isVital: true, absent: MISSING } : { name, ...key },
  );
}
