import type { AnyJson } from '../../../../src/server/api.ts';

/** One line of a tree: a key and what is at it. */
export interface JsonRow {
  /** Where it is, as keys joined so that no two places have the same. */
  readonly path: string;
  readonly depth: number;
  readonly name: string | undefined;
  readonly value: AnyJson;
  /** Undefined where nothing is within. */
  readonly isOpen: boolean | undefined;
  /** Instead of a value: so many more, which are shown when asked. */
  readonly more?: number;
}

/** Of one list or object at first. */
const CHILDREN_SHOWN = 100;
/** Opened by themselves, from the root on, as long as there are not more lines than this. */
const OPEN_ROWS_MAX = 40;

export interface JsonChoices {
  /** Paths that were opened or closed against what they are by themselves. */
  readonly toggled: ReadonlySet<string>;
  /** How many children of a path are shown, where it is more than at first. */
  readonly shown: ReadonlyMap<string, number>;
}

/** The lines of a tree that are open. What is closed is never looked into, so that it costs nothing. */
export function jsonRows(value: AnyJson, choices: JsonChoices, openDepth = depthToOpen(value)): JsonRow[] {
  const rows: JsonRow[] = [];
  const add = (name: string | undefined, one: AnyJson, path: string, depth: number) => {
    const isContainer = isFilled(one);
    const isOpen = isContainer ? depth < openDepth !== choices.toggled.has(path) : undefined;
    rows.push({ path, depth, name, value: one, isOpen });
    if (isOpen !== true || !isContainer) return;
    const keys = Object.keys(one);
    const limit = choices.shown.get(path) ?? CHILDREN_SHOWN;
    for (const key of keys.slice(0, limit)) {
      const child = Array.isArray(one) ? one[Number(key)] : one[key];
      if (child !== undefined) add(key, child, `${path}\n${key}`, depth + 1);
    }
    if (keys.length > limit)
      rows.push({
        path,
        depth: depth + 1,
        name: undefined,
        value: null,
        isOpen: undefined,
        more: keys.length - limit,
      });
  };
  add(undefined, value, '', 0);
  return rows;
}

export function withMore(choices: JsonChoices, path: string): JsonChoices {
  const shown = new Map(choices.shown);
  shown.set(path, (shown.get(path) ?? CHILDREN_SHOWN) + 400);
  return { ...choices, shown };
}

export function withToggled(choices: JsonChoices, path: string): JsonChoices {
  const toggled = new Set(choices.toggled);
  if (!toggled.delete(path)) toggled.add(path);
  return { ...choices, toggled };
}

function isFilled(value: AnyJson): value is AnyJson[] | Record<string, AnyJson> {
  if (typeof value !== 'object' || value === null || markOf(value) !== undefined) return false;
  return Object.keys(value).length > 0;
}

/** What the server writes where JSON has no words, or too many. */
export function markOf(value: AnyJson): '$cut' | '$number' | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [key, ...others] = Object.keys(value);
  return others.length === 0 && (key === '$cut' || key === '$number') ? key : undefined;
}

/** As deep as there are few lines. */
function depthToOpen(value: AnyJson): number {
  let level: readonly AnyJson[] = [value];
  let lines = 1;
  for (let depth = 0; ; depth++) {
    const next: AnyJson[] = [];
    for (const one of level) {
      if (typeof one !== 'object' || one === null) continue;
      const children = Object.values(one);
      lines += children.length;
      if (lines > OPEN_ROWS_MAX) return Math.max(1, depth);
      next.push(...children);
    }
    if (next.length === 0) return depth + 1;
    level = next;
  }
}
