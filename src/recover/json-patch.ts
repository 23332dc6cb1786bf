import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

/** One entry of a `store` or `state` event: a JSON Patch operation. */
export interface JsonChange {
  readonly op: string;
  readonly path: string;
  readonly from?: string;
  readonly value?: Json;
}

/** A value that a change could not be applied to; the rest of the patch was applied. */
export interface PatchResult {
  readonly value: Json;
  /** Paths whose parents are not there, or not what the change takes them for. */
  readonly unapplied: readonly string[];
}

/**
 * Applies a patch without changing the value it is given: what is not touched is shared, so keeping an older state costs
 * nothing. `replace` of a key that is missing sets it, and `remove` of one does nothing: the state that we know may
 * lag behind the one that the patch was made for.
 */
export function applyPatch(value: Json, changes: readonly JsonChange[]): PatchResult {
  const unapplied: string[] = [];
  let current = value;
  for (const change of changes) {
    const next = applyChange(current, change);
    if (next === undefined) unapplied.push(change.path);
    else current = next;
  }
  return { value: current, unapplied };
}

/** Reads the changes of an event; what is no operation is left out. */
export function readChanges(value: Json | undefined): readonly JsonChange[] {
  if (!isJsonArray(value)) return [];
  return value.filter(
    (item): item is JsonObject & JsonChange =>
      isJsonObject(item) && typeof item.op === 'string' && typeof item.path === 'string',
  );
}

function applyChange(value: Json, change: JsonChange): Json | undefined {
  const path = splitPointer(change.path);
  switch (change.op) {
    case 'add':
      return put(value, path, change.value ?? null, 'insert');
    case 'replace':
      return put(value, path, change.value ?? null, 'set');
    case 'remove':
      return remove(value, path);
    case 'copy':
    case 'move':
      return transfer(value, path, change);
    default:
      // `test` changes nothing, and what we do not know we must not guess.
      return change.op === 'test' ? value : undefined;
  }
}

function transfer(value: Json, path: readonly string[], change: JsonChange): Json | undefined {
  const from = splitPointer(change.from ?? '');
  const moved = get(value, from);
  if (moved === undefined) return undefined;
  const rest = change.op === 'move' ? remove(value, from) : value;
  return rest === undefined ? undefined : put(rest, path, moved, 'insert');
}

function splitPointer(pointer: string): readonly string[] {
  if (pointer === '' || pointer === '/') return pointer === '' ? [] : [''];
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function get(value: Json | undefined, path: readonly string[]): Json | undefined {
  let current = value;
  for (const part of path) {
    if (isJsonArray(current)) current = current[indexIn(current, part) ?? -1];
    else if (isJsonObject(current)) current = Object.hasOwn(current, part) ? current[part] : undefined;
    else return undefined;
  }
  return current;
}

function put(
  value: Json | undefined,
  path: readonly string[],
  item: Json,
  mode: 'insert' | 'set',
): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return item;
  const isLast = rest.length === 0;
  if (isJsonArray(value)) return putInArray(value, part, { rest, item, mode });
  if (!isJsonObject(value)) return undefined;
  const inner = isLast ? item : put(own(value, part), rest, item, mode);
  return inner === undefined ? undefined : withKey(value, part, inner);
}

function putInArray(
  value: readonly Json[],
  part: string,
  {
    rest,
    item,
    mode,
  }: { readonly rest: readonly string[]; readonly item: Json; readonly mode: 'insert' | 'set' },
): Json | undefined {
  const index = part === '-' ? value.length : indexIn(value, part);
  if (index === undefined) return undefined;
  if (rest.length > 0) {
    const inner = put(value[index], rest, item, mode);
    return inner === undefined ? undefined : value.with(index, inner);
  }
  if (mode === 'insert' || index === value.length) return value.toSpliced(index, 0, item);
  return value.with(index, item);
}

function remove(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return undefined;
  if (isJsonArray(value)) {
    const index = indexIn(value, part);
    if (index === undefined || index === value.length) return undefined;
    if (rest.length === 0) return value.toSpliced(index, 1);
    const inner = remove(value[index], rest);
    return inner === undefined ? undefined : value.with(index, inner);
  }
  if (!isJsonObject(value)) return undefined;
  if (rest.length === 0) return withoutKey(value, part);
  const inner = remove(own(value, part), rest);
  return inner === undefined ? undefined : withKey(value, part, inner);
}

/** An index up to the length, which is where an item can be added. */
function indexIn(value: readonly Json[], part: string): number | undefined {
  if (!/^(0|[1-9]\d{0,9})$/.test(part)) return undefined;
  const index = Number(part);
  return index <= value.length ? index : undefined;
}

function own(value: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** `__proto__` is a key like any other here, as in JSON. */
function withKey(value: JsonObject, key: string, item: Json): JsonObject {
  const entries = Object.entries(value);
  const at = entries.findIndex(([name]) => name === key);
  return Object.fromEntries(at < 0 ? [...entries, [key, item]] : entries.with(at, [key, item]));
}

function withoutKey(value: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
