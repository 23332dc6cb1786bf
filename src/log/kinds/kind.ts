/**
 * Readers of values whose author is not known: of Inspect of any year, of another tool, of a file that was edited. A kind
 * gives the value as the type that it claims, or says what is wrong with it. What is right is given back as it is, without
 * a copy; a copy is made only of what is mended.
 *
 * Why not the shapes (`shapes/`): those say exactly what is written, in words and times and keys that nobody computes with.
 * Held to them, logs of other years would lose what merely passes through. Kinds look only at what the types of `schema.ts`
 * promise, and a test holds the two together: whatever has its exact shape is read without loss.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonText } from '../../base/index.ts';

export type Kind<T> = (value: Json) => T | Wrong;

/** Why a value is not of its kind, and where in it. */
export class Wrong {
  readonly path: string;
  /** Undefined: nothing is there. */
  readonly expected: string | undefined;

  constructor(expected: string | undefined, path = '') {
    this.expected = expected;
    this.path = path;
  }

  /** What follows "because" in a sentence about the document. */
  get reason(): string {
    const place = this.path === '' ? 'it' : this.path;
    return this.expected === undefined ? `${place} is missing` : `${place} is not ${this.expected}`;
  }

  /** The same, seen from the object or list around it. */
  inside(step: string | number): Wrong {
    const place = typeof step === 'number' ? `[${step}]` : step;
    const separator = this.path === '' || this.path.startsWith('[') ? '' : '.';
    return new Wrong(this.expected, `${place}${separator}${this.path}`);
  }
}

/** For what is read one by one, where the wrong ones are left out. */
export function isSound<T>(found: T | Wrong): found is T {
  return !(found instanceof Wrong);
}

export const anything: Kind<Json> = (value) => value;

export const text: Kind<string> = (value) => (typeof value === 'string' ? value : NO_TEXT);

export const flag: Kind<boolean> = (value) => (typeof value === 'boolean' ? value : NO_FLAG);

/** An integer beyond 2^53 is a bigint in our JSON; as a count or a limit it is near enough. */
export const number: Kind<number> = (value) => {
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' ? Number(value) : NO_NUMBER;
};

/** Any object, whatever is in it. */
export const record: Kind<JsonObject> = (value) => (isJsonObject(value) ? value : NO_OBJECT);

/** For what people read: a value that should be a text and is none is kept as its text. */
export const asText: Kind<string> = (value) => {
  if (typeof value === 'string') return value;
  return value === null ? NO_TEXT : jsonText(value);
};

export function oneOf<T extends string>(...words: readonly T[]): Kind<T> {
  const wrong = new Wrong(`one of ${words.join(', ')}`);
  return (value) => words.find((word) => word === value) ?? wrong;
}

/** One wrong item makes the list wrong, because a list is told by its length and its places. */
export function listOf<T extends Json>(kind: Kind<T>): Kind<readonly T[]> {
  return (value) => {
    if (!isJsonArray(value)) return NO_LIST;
    let mended: Json[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const item = value[at] ?? null;
      const found = kind(item);
      if (Object.is(found, item)) continue;
      if (found instanceof Wrong) return found.inside(at);
      mended ??= [...value];
      mended[at] = found;
    }
    // Each item was just seen to be a T, and this is the one place that knows it.
    return (mended ?? value) as readonly T[];
  };
}

/** An object with any keys, whose values are alike. One wrong value makes it wrong. */
export function recordOf<T extends Json>(kind: Kind<T>): Kind<Readonly<Record<string, T>>> {
  return (value) => readRecord(value, kind, (wrong) => wrong);
}

/** The same, but values of the wrong kind are left out. */
export function soundRecordOf<T extends Json>(kind: Kind<T>): Kind<Readonly<Record<string, T>>> {
  return (value) => readRecord(value, kind, () => undefined);
}

/** The first that fits. What is said of a value that none fits comes from the one that got furthest into it. */
export function anyOf<A extends Json, B extends Json>(one: Kind<A>, other: Kind<B>): Kind<A | B> {
  return (value) => {
    const first = one(value);
    if (!(first instanceof Wrong)) return first;
    const second = other(value);
    if (!(second instanceof Wrong)) return second;
    if (first.path !== '' || second.path !== '') return second.path === '' ? first : second;
    return new Wrong(`${first.expected} or ${second.expected}`);
  };
}

const NO_TEXT = new Wrong('a text');
const NO_FLAG = new Wrong('true or false');
const NO_NUMBER = new Wrong('a number');
const NO_OBJECT = new Wrong('an object');
const NO_LIST = new Wrong('a list');

function readRecord<T extends Json>(
  value: Json,
  kind: Kind<T>,
  ifWrong: (wrong: Wrong) => Wrong | undefined,
): Readonly<Record<string, T>> | Wrong {
  if (!isJsonObject(value)) return NO_OBJECT;
  let mended: Record<string, Json | undefined> | undefined;
  for (const name in value) {
    const item = value[name] ?? null;
    let found: T | Wrong | undefined = kind(item);
    if (Object.is(found, item)) continue;
    if (found instanceof Wrong) found = ifWrong(found);
    if (found instanceof Wrong) return found.inside(name);
    mended ??= { ...value };
    if (found === undefined) delete mended[name];
    else mended[name] = found;
  }
  // As in lists: each value was just seen to be a T.
  return (mended ?? value) as Readonly<Record<string, T>>;
}
