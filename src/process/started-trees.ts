import { systemClock } from '../base/index.ts';
import { nodeDisk, stateOfProcess } from '../disk/index.ts';
import { findMarked, findProcesses, killProcesses } from './process-tree.ts';

/** Processes that we start carry it, and hand it down to all they start; so none can hide by leaving its group. */
export const MARKER_VARIABLE = 'HOLDFAST_PROCESS';

/** A program that was started here with all that it starts, in words that another process understands. */
export interface StartedTree {
  readonly pid: number;
  readonly marker: string;
  /** Tells it from another process that gets its number later; undefined where the system does not say. */
  readonly processStart: string | undefined;
}

const GRACE_MS = 2_000;

/** What runs now, by marker. Of the whole process, since it ends with all of it. */
const running = new Map<string, StartedTree>();
const listeners = new Set<TreeListener>();
/** The marker that this process was started with, if whoever started it looks for it. */
let ownMarker: string | undefined;

export interface TreeListener {
  started(tree: StartedTree): void;
  ended(marker: string): void;
}

/** From now on what is started here is known to be ours by whoever started us. */
export function inheritMarker(marker: string | undefined): void {
  ownMarker = marker;
}

/** Undefined in a process that nobody looks for. */
export function inheritedMarker(): string | undefined {
  return ownMarker;
}

/** The marker of what we start next: it begins with our own. */
export function markerBelow(id: string, above = ownMarker): string {
  return above === undefined ? id : `${above}.${id}`;
}

/** Told right after it was started: a process that is killed a moment later has said what it leaves behind. */
export function noteStarted(pid: number, marker: string): void {
  // Where nobody listens nobody else will have to end it.
  const state = listeners.size === 0 ? undefined : stateOfProcess(pid);
  const processStart = state?.kind === 'running' ? state.processStart : undefined;
  const tree = { pid, marker, processStart };
  running.set(marker, tree);
  for (const listener of listeners) listener.started(tree);
}

export function noteEnded(marker: string): void {
  running.delete(marker);
  for (const listener of listeners) listener.ended(marker);
}

export function listenToTrees(listener: TreeListener): void {
  listeners.add(listener);
}

/** Ends whatever of what this process has started is still there. */
export async function endStarted(): Promise<void> {
  await endTrees([...running.values()], ownMarker);
}

/** Ends trees, and everything whose marker begins with this one. */
export async function endTrees(trees: Iterable<StartedTree>, marker: string | undefined): Promise<void> {
  const ports = { disk: nodeDisk, clock: systemClock, graceMs: GRACE_MS };
  const ends = [...trees].filter(isStillOurs).map((tree) => {
    const whole = { ...ports, ...tree };
    return killProcesses(whole, () => findProcesses(whole));
  });
  if (marker !== undefined)
    ends.push(killProcesses({ ...ports, pid: undefined }, () => findMarked(nodeDisk, marker)));
  await Promise.all(ends);
}

/** A number that another process has by now is not signalled; one that nobody has may still be that of a group. */
function isStillOurs({ pid, processStart }: StartedTree): boolean {
  const state = stateOfProcess(pid);
  return state.kind !== 'running' || processStart === undefined || state.processStart === processStart;
}
