/** The circles of a graph, each as the files that reach each other, in order (Tarjan's strongly connected components). */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const search: Search = { graph, index: new Map(), low: new Map(), stack: [], found: [] };
  for (const node of graph.keys()) if (!search.index.has(node)) visit(node, search);
  return search.found.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
}

interface Search {
  readonly graph: ReadonlyMap<string, readonly string[]>;
  readonly index: Map<string, number>;
  /** The earliest node that can be reached back to. */
  readonly low: Map<string, number>;
  readonly stack: string[];
  readonly found: string[][];
}

function visit(node: string, search: Search): void {
  const { graph, index, low, stack, found } = search;
  index.set(node, index.size);
  low.set(node, index.get(node) ?? 0);
  stack.push(node);
  for (const next of graph.get(node) ?? []) {
    if (!graph.has(next)) continue;
    if (!index.has(next)) {
      visit(next, search);
      low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    } else if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, index.get(next) ?? 0));
  }
  if (low.get(node) !== index.get(node)) return;
  const members = stack.splice(stack.indexOf(node));
  if (members.length > 1 || graph.get(node)?.includes(node)) found.push(members.sort());
}
