import { isJsonObject, type Json } from '../../base/index.ts';
import { asText, flag, type Kind, number, text, Wrong } from './kind.ts';

export interface KeyKind {
  readonly name: string;
  readonly kind: Kind<Json>;
  /** Of the wrong kind, it makes the document wrong. */
  readonly isVital: boolean;
  /** What it is when it is missing: a value, nothing, or a reason why the document is wrong. */
  readonly absent: Json | Wrong | undefined;
}

/**
 * Reads an object by the kinds of its keys. Lists of a hundred thousand rows are read with it, so what is right costs one
 * short look at each key that is there, and nothing is copied.
 */
export function keysReader<T>(keys: readonly KeyKind[]): Kind<T> {
  const find = keyFinder(keys);
  const always = keys.filter(({ absent }) => absent !== undefined);
  return (value) => {
    if (!isJsonObject(value)) return NO_OBJECT;
    let mended: Changeable | undefined;
    let at = 0;
    let seen = 0;
    for (const name in value) {
      const key = find(at++, name);
      const item = value[name];
      if (key === undefined || item === undefined) continue;
      if (key.isAlways) seen++;
      const found = isPlain(key.plain, item) ? item : readKey(key, item);
      if (Object.is(found, item)) continue;
      if (found instanceof Wrong) return found.inside(name);
      mended = changed(mended ?? { ...value }, name, found);
    }
    for (const { name, absent } of seen < always.length ? always : NONE) {
      if (value[name] !== undefined) continue;
      if (absent instanceof Wrong) return absent.inside(name);
      mended = changed(mended ?? { ...value }, name, absent);
    }
    // Each key of T was just seen to be of its kind, and this is the one place that knows it.
    return (mended ?? value) as T;
  };
}

interface FoundKey extends KeyKind {
  /** Whether something stands there in every document. */
  readonly isAlways: boolean;
  readonly plain: Plain;
}

type Plain = 'string' | 'number' | 'boolean' | undefined;
type Changeable = Record<string, Json | undefined>;

const NONE: readonly KeyKind[] = [];
const NO_OBJECT = new Wrong('an object');
/** Kinds that `typeof` tells without a call. */
const PLAIN: ReadonlyMap<Kind<Json>, Plain> = new Map<Kind<Json>, Plain>([
  [text, 'string'],
  [asText, 'string'],
  [number, 'number'],
  [flag, 'boolean'],
]);
/** Beyond this many, keys are looked up each time. */
const REMEMBERED_MAX = 64;

/** Rows of a list have the same keys in the same order, so the key that was found at a place is tried there first. */
function keyFinder(keys: readonly KeyKind[]): (at: number, name: string) => FoundKey | undefined {
  const byName = new Map(
    keys.map((key): [string, FoundKey] => {
      return [key.name, { ...key, isAlways: key.absent !== undefined, plain: PLAIN.get(key.kind) }];
    }),
  );
  const names: string[] = [];
  const found: (FoundKey | undefined)[] = [];
  return (at, name) => {
    if (names[at] === name) return found[at];
    const key = byName.get(name);
    if (at < REMEMBERED_MAX) {
      names[at] = name;
      found[at] = key;
    }
    return key;
  };
}

function isPlain(plain: Plain, item: Json): boolean {
  if (plain === 'string') return typeof item === 'string';
  if (plain === 'number') return typeof item === 'number';
  return plain === 'boolean' && typeof item === 'boolean';
}

/** Null counts as missing where the kind has no null. */
function readKey({ kind, isVital, absent }: KeyKind, item: Json): Json | Wrong | undefined {
  const found = kind(item);
  if (!(found instanceof Wrong)) return found;
  return item === null || !isVital ? absent : found;
}

function changed(object: Changeable, name: string, value: Json | undefined): Changeable {
  if (value === undefined) delete object[name];
  else object[name] = value;
  return object;
}
