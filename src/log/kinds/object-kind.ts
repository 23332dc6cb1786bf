import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { type Kind, Wrong } from './kind.ts';

/**
 * The kind of every key of a document. The compiler asks for each of them, so a key that joins the type joins the reader. A
 * key without a mark is required: missing or wrong, it makes the document wrong.
 */
export type Kinds<T> = {
  readonly [Key in keyof T as string extends Key ? never : Key]-?: undefined extends T[Key]
    ? OptionalKey<Exclude<T[Key], undefined>>
    : Kind<T[Key]> | FilledKey<T[Key]>;
};

/** A key that its type may lack. */
interface OptionalKey<T> {
  readonly mark: 'optional';
  readonly read: (value: Json) => T | Wrong | undefined;
}

/** A key that is always there, if need be with a value that stands for none. */
interface FilledKey<T> {
  readonly mark: 'filled';
  readonly read: (value: Json) => T | Wrong;
  readonly absent: T;
}

/** May be missing; of the wrong kind, it is left out. */
export function optional<T extends Json>(kind: Kind<T>): OptionalKey<T> {
  return { mark: 'optional', read: (value) => unlessWrong(kind(value), undefined) };
}

/** May be missing, but of the wrong kind it makes the document wrong: left out, it would change what the document says. */
export function vital<T extends Json>(kind: Kind<T>): OptionalKey<T> {
  return { mark: 'optional', read: (value) => unlessNull(kind, value, undefined) };
}

/** Missing or of the wrong kind, it is `absent`. */
export function otherwise<T extends Json>(kind: Kind<T>, absent: T): FilledKey<T> {
  return { mark: 'filled', absent, read: (value) => unlessWrong(kind(value), absent) };
}

/** Missing, it is `absent`; of the wrong kind it makes the document wrong. */
export function vitalOr<T extends Json>(kind: Kind<T>, absent: T): FilledKey<T> {
  return {
    mark: 'filled',
    absent,
    read: (value) => unlessNull(kind, value, absent),
  };
}

/** Keys that the table does not name pass as they are [LOG-2]. */
export function objectOf<T extends JsonObject>(kinds: Kinds<T>): Kind<T> {
  const entries: readonly (readonly [string, AnyKey])[] = Object.entries(kinds);
  const keys = entries.map(([name, key]) => keyReader(name, key));
  return (value) => {
    if (!isJsonObject(value)) return NO_OBJECT;
    let mended: Record<string, Json | undefined> | undefined;
    for (const { name, read, absent } of keys) {
      const item = value[name];
      const found = item === undefined ? absent : read(item);
      if (Object.is(found, item)) continue;
      if (found instanceof Wrong) return found.inside(name);
      mended ??= { ...value };
      if (found === undefined) delete mended[name];
      else mended[name] = found;
    }
    // Each key of T was just seen to be of its kind, and this is the one place that knows it.
    return (mended ?? value) as T;
  };
}

type AnyKey = Kind<Json> | OptionalKey<Json> | FilledKey<Json>;

interface KeyReader {
  readonly name: string;
  readonly read: (value: Json) => Json | Wrong | undefined;
  readonly absent: Json | Wrong | undefined;
}

const NO_OBJECT = new Wrong('an object');
const MISSING = new Wrong(undefined);

function keyReader(name: string, key: AnyKey): KeyReader {
  if (typeof key === 'function') return { name, read: key, absent: MISSING };
  return { name, read: key.read, absent: key.mark === 'filled' ? key.absent : undefined };
}

/** Null counts as missing where the kind has no null. */
function unlessNull<T, Absent>(kind: Kind<T>, value: Json, absent: Absent): T | Absent | Wrong {
  const found = kind(value);
  return value === null && found instanceof Wrong ? absent : found;
}

function unlessWrong<T, Absent>(found: T | Wrong, absent: Absent): T | Absent {
  return found instanceof Wrong ? absent : found;
}
