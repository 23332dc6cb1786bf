import { type AnyJson, type CutText, cutText, type Text } from '../../../src/server/api.ts';

/** Events are whatever a log has: nothing in them is certain to be there, or to be what it is called. */
export type JsonObject = { readonly [key: string]: AnyJson };
export type Cut = CutText['$cut'];

export function isObject(value: AnyJson | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is at a path, as far as there is one. */
export function valueAt(value: AnyJson | undefined, ...path: readonly (string | number)[]) {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Array.isArray(found) ? found[Number(key)] : found[key];
  }
  return found;
}

export function stringAt(value: AnyJson | undefined, ...path: readonly (string | number)[]) {
  const found = valueAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: AnyJson | undefined, ...path: readonly (string | number)[]) {
  const found = valueAt(value, ...path);
  return typeof found === 'number' ? found : undefined;
}

export function listAt(
  value: AnyJson | undefined,
  ...path: readonly (string | number)[]
): readonly AnyJson[] {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A text that is there, whole or cut; empty ones are not. */
export function textAt(value: AnyJson | undefined, ...path: readonly (string | number)[]): Text | undefined {
  const found = valueAt(value, ...path);
  if (typeof found === 'string') return found === '' ? undefined : found;
  return asCut(found);
}

export function asCut(value: AnyJson | undefined): CutText | undefined {
  if (!isObject(value) || !Object.hasOwn(value, '$cut')) return undefined;
  const parsed = cutText.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** What is known of a text at once. */
export function headOf(text: Text): string {
  return typeof text === 'string' ? text : text.$cut.head;
}

/** JSON as people read it, on one line where it is short. */
export function plainJson(value: AnyJson): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
