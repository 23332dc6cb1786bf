/**
 * A small language for the shapes of the documents in a log [LOG-33]. Shapes are data, so that they can be checked
 * against (`fits.ts`), explained (`explain.ts`) and compared with Inspect's own models (`npm run interop`).
 *
 * Why not a schema library: numbers here may be NaN or bigint, which JSON Schema knows nothing of, and compiling 70
 * schemas takes longer than most commands. Data needs no compiling, and checking a document against it takes about as
 * long as parsing its JSON does.
 */
export type Shape =
  | { readonly kind: 'anything' | 'text' | 'time' | 'timeText' | 'integer' | 'number' | 'flag' }
  | { readonly kind: 'oneOf'; readonly values: ReadonlySet<string> }
  | { readonly kind: 'orNull'; readonly shape: Shape }
  | { readonly kind: 'list'; readonly item: Shape }
  | { readonly kind: 'tuple'; readonly items: readonly Shape[] }
  | { readonly kind: 'record'; readonly value: Shape }
  | { readonly kind: 'anyOf'; readonly options: readonly Shape[] }
  | { readonly kind: 'lazy'; readonly get: () => Shape }
  | { readonly kind: 'passed'; readonly name: string }
  | ObjectShape
  | TaggedShape;

export interface ObjectShape {
  readonly kind: 'object';
  /** What Inspect calls it. */
  readonly name: string;
  readonly keys: ReadonlyMap<string, Shape>;
  readonly required: readonly string[];
}

/** One of several objects, told apart by a key whose value only one of them has. */
export interface TaggedShape {
  readonly kind: 'tagged';
  readonly tag: string;
  readonly options: ReadonlyMap<string, ObjectShape>;
}

interface Optional {
  readonly isOptional: true;
  readonly shape: Shape;
}

/** Any JSON that is not nested too deeply to be read [LOG-35]. */
export const anything: Shape = { kind: 'anything' };
export const text: Shape = { kind: 'text' };
/** An ISO time. */
export const time: Shape = { kind: 'time' };
/** An ISO time that Inspect's schema calls a mere text, although its reader parses it. */
export const timeText: Shape = { kind: 'timeText' };
export const integer: Shape = { kind: 'integer' };
/** Also NaN and the infinities. */
export const number: Shape = { kind: 'number' };
export const flag: Shape = { kind: 'flag' };

export function oneOf(...values: readonly string[]): Shape {
  return { kind: 'oneOf', values: new Set(values) };
}

export function listOf(item: Shape): Shape {
  return { kind: 'list', item };
}

export function tuple(...items: readonly Shape[]): Shape {
  return { kind: 'tuple', items };
}

/** An object with any keys, whose values are alike. */
export function recordOf(value: Shape): Shape {
  return { kind: 'record', value };
}

export function anyOf(...options: readonly Shape[]): Shape {
  return { kind: 'anyOf', options };
}

export function orNull(shape: Shape): Shape {
  return { kind: 'orNull', shape };
}

/** For a shape that holds itself. */
export function lazy(get: () => Shape): Shape {
  return { kind: 'lazy', get };
}

/** A part of Inspect's that is never written here, so its inside is not looked at. */
export function passed(name: string): Shape {
  return { kind: 'passed', name };
}

/** A key that may be missing, but is not null. */
export function optional(shape: Shape): Optional {
  return { isOptional: true, shape };
}

/** A key that may be missing or null. */
export function maybe(shape: Shape): Optional {
  return optional(orNull(shape));
}

/** Keys that are not listed pass, as they do in Inspect [LOG-2]. */
export function object(name: string, keys: Readonly<Record<string, Shape | Optional>>): ObjectShape {
  const entries = Object.entries(keys);
  return {
    kind: 'object',
    name,
    keys: new Map(entries.map(([key, value]) => [key, 'isOptional' in value ? value.shape : value])),
    required: entries.filter(([, value]) => !('isOptional' in value)).map(([key]) => key),
  };
}

/** An event: what all of them have, and what only this one has. */
export function event(name: string, keys: Readonly<Record<string, Shape | Optional>>): ObjectShape {
  return object(name, {
    uuid: maybe(text),
    span_id: maybe(text),
    timestamp: optional(time),
    working_start: optional(number),
    metadata: maybe(recordOf(anything)),
    pending: maybe(flag),
    ...keys,
  });
}

export function tagged(tag: string, options: readonly ObjectShape[]): TaggedShape {
  const named = options.map((option) => [tagOf(option, tag), option] as const);
  return { kind: 'tagged', tag, options: new Map(named) };
}

function tagOf(option: ObjectShape, tag: string): string {
  const shape = option.keys.get(tag);
  const [value = ''] = shape?.kind === 'oneOf' ? shape.values : [];
  return value;
}
