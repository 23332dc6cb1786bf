import type { Random } from '../../src/base/index.ts';
import { newIdentity, type SimulatedFile } from './simulated-file.ts';

export type SimulatedNode = SimulatedFile | SimulatedDirectory;

/** Names that change together: a rename within one directory removes one name and sets another, or does neither. */
type Change = ReadonlyMap<string, SimulatedNode | undefined>;

/** The names of one directory: as readers see them, as they are on the platter, and the unsynced changes between. */
export class SimulatedDirectory {
  readonly kind = 'directory';
  readonly identity: string;
  modifiedMs: number;
  #current: Map<string, SimulatedNode>;
  #durable: Map<string, SimulatedNode>;
  #unsynced: Change[] = [];

  constructor(
    modifiedMs: number,
    durable: ReadonlyMap<string, SimulatedNode> = new Map(),
    identity = newIdentity(),
  ) {
    this.modifiedMs = modifiedMs;
    this.identity = identity;
    this.#durable = new Map(durable);
    this.#current = new Map(durable);
  }

  get names(): ReadonlyMap<string, SimulatedNode> {
    return this.#current;
  }

  change(changes: Iterable<readonly [string, SimulatedNode | undefined]>): void {
    const change = new Map(changes);
    this.#unsynced.push(change);
    apply(this.#current, change);
  }

  sync(): void {
    this.#durable = new Map(this.#current);
    this.#unsynced = [];
  }

  /** What may be found after the power came back. A node of two names (a link) stays one node: `known` remembers. */
  afterPowerLoss(random: Random, known = new Map<SimulatedNode, SimulatedNode>()): SimulatedDirectory {
    const names = new Map(this.#durable);
    for (const change of this.#unsynced) {
      if (random.next() < 0.5) apply(names, change);
    }
    const survivors = new Map<string, SimulatedNode>();
    for (const [name, node] of names) survivors.set(name, survivor(node, random, known));
    return new SimulatedDirectory(this.modifiedMs, survivors, this.identity);
  }
}

function apply(names: Map<string, SimulatedNode>, change: Change): void {
  for (const [name, node] of change) {
    if (node) names.set(name, node);
    else names.delete(name);
  }
}

function survivor(
  node: SimulatedNode,
  random: Random,
  known: Map<SimulatedNode, SimulatedNode>,
): SimulatedNode {
  const result = known.get(node) ?? node.afterPowerLoss(random, known);
  known.set(node, result);
  return result;
}
