import type { CodeGraph } from './code-graph.ts';
import type { ModuleOutline, ModulePart } from './module-outline.ts';

/** What code gets to by its names, over modules. */
export interface Reach {
  /** Declarations, each with the name of its place. */
  readonly parts: ReadonlySet<ModulePart>;
  readonly names: ReadonlySet<string>;
  /** Names whose values it changes, each with the parts that do so. */
  readonly changes: ReadonlyMap<string, ReadonlySet<ModulePart>>;
}

/**
 * True when the one code leaves something behind in a variable that the other looks at [CODE-3]: then the other gives something else
 * where the one did not run. What both do for themselves, such as filling a cache, is left for nobody.
 */
export function leavesBehind(one: Reach, other: Reach): boolean {
  for (const [name, changers] of one.changes)
    if (other.names.has(name) && [...changers].some((part) => !other.parts.has(part))) return true;
  return false;
}

/** From a part of the module at `url`, along all names that are used; whatever else modules do is not asked for. */
export async function reachOf(graph: CodeGraph, url: string, root: ModulePart): Promise<Reach> {
  const reach = new Reaching(graph);
  await reach.from(url, root);
  return reach;
}

/** A name of a module. */
interface Place {
  readonly url: string;
  readonly name: string;
}

class Reaching implements Reach {
  readonly parts = new Set<ModulePart>();
  readonly names = new Set<string>();
  readonly changes = new Map<string, Set<ModulePart>>();
  readonly #graph: CodeGraph;

  constructor(graph: CodeGraph) {
    this.#graph = graph;
  }

  async from(url: string, root: ModulePart): Promise<void> {
    const waiting: { readonly url: string; readonly part: ModulePart }[] = [{ url, part: root }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      if (this.parts.has(next.part)) continue;
      this.parts.add(next.part);
      for (const name of next.part.uses)
        for (const place of await placesOf(this.#graph, { url: next.url, name })) {
          this.#note(place, next.part, next.part.changes.includes(name));
          const outline = await this.#graph.outline(place.url);
          for (const part of declaring(outline, place.name)) waiting.push({ url: place.url, part });
        }
    }
  }

  #note({ url, name }: Place, part: ModulePart, isChanged: boolean): void {
    const place = `${url} ${name}`;
    this.names.add(place);
    if (isChanged) this.changes.set(place, (this.changes.get(place) ?? new Set()).add(part));
  }
}

/** Where a name is declared in the end; several places for a whole module, none for what no module of the eval declares. */
async function placesOf(
  graph: CodeGraph,
  place: Place,
  asked = new Set<string>(),
): Promise<readonly Place[]> {
  const outline = await once(graph, place, asked);
  const imported = outline && ownOf(outline.imports, place.name);
  if (imported) return await exportedAs(graph, { parent: place.url, ...imported }, asked);
  return declaring(outline, place.name).length > 0 ? [place] : [];
}

async function exportedAs(
  graph: CodeGraph,
  { parent, from, name }: { readonly parent: string; readonly from: string; readonly name: string },
  asked: Set<string>,
): Promise<readonly Place[]> {
  const { kind, url = '' } = { url: undefined, ...(await graph.target(parent, from)) };
  const outline = kind === 'local' ? await once(graph, { url, name: `export ${name}` }, asked) : undefined;
  if (!outline) return [];
  const names = name === '*' ? Object.keys(outline.exports) : [name];
  const places: Place[] = [];
  for (const each of names) {
    const found = ownOf(outline.exports, each);
    if (found && 'from' in found) places.push(...(await exportedAs(graph, { parent: url, ...found }, asked)));
    else if (found) places.push(...(await placesOf(graph, { url, name: found.local }, asked)));
  }
  if (places.length === 0 || name === '*')
    for (const other of outline.passedOn)
      places.push(...(await exportedAs(graph, { parent: url, from: other, name }, asked)));
  return places;
}

/** Modules may pass each other on: undefined for what was asked before. */
async function once(
  graph: CodeGraph,
  { url, name }: Place,
  asked: Set<string>,
): Promise<ModuleOutline | undefined> {
  const place = `${url} ${name}`;
  if (asked.has(place)) return undefined;
  asked.add(place);
  return await graph.outline(url);
}

function declaring(outline: ModuleOutline | undefined, name: string): readonly ModulePart[] {
  return outline?.parts.filter(({ declares }) => declares.includes(name)) ?? [];
}

function ownOf<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
