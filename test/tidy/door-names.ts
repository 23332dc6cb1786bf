import { everything, importsOf, read, roomOf, sources, withoutComments } from './source-files.ts';

export interface DoorName {
  /** The path of the door, from the root. */
  readonly door: string;
  readonly name: string;
}

export function isDoor(path: string): boolean {
  return /^src\/[^/]+\/index\.ts$/.test(path);
}

/** Each name of a door that neither another room nor a test, a script, an example or the library takes. */
export function unusedDoorNames(): DoorName[] {
  const taken = takenNames();
  return sources.filter(isDoor).flatMap((door) => {
    const names = taken.get(door) ?? new Set<string>();
    if (names.has('*')) return [];
    return shownBy(door)
      .filter((name) => !names.has(name))
      .map((name) => ({ door, name }));
  });
}

function takenNames(): Map<string, Set<string>> {
  const taken = new Map<string, Set<string>>();
  for (const path of everything) {
    for (const { path: door, names } of importsOf(path)) {
      if (roomOf(path) === roomOf(door) && !path.endsWith('.test.ts')) continue;
      const known = taken.get(door) ?? new Set<string>();
      for (const name of names) known.add(name);
      taken.set(door, known);
    }
  }
  return taken;
}

/** The names under which a door shows what is behind it. */
function shownBy(door: string): string[] {
  const lists = [...withoutComments(read(door)).matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}/gm)];
  const entries = lists.flatMap(([, list = '']) => list.split(',')).map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(shownName);
}

/** `type A as B` is shown as B. */
export function shownName(entry: string): string {
  return entry
    .trim()
    .replace(/^type\s+/, '')
    .replace(/^.*\s+as\s+/, '');
}
