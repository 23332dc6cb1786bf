import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { inheritedMarker, MARKER_VARIABLE } from './started-trees.ts';

const LOOK_MS = 1_000;

/** Another thread goes round also while code keeps ours from it. It is small, and a file of its own would have to be found when we are built. */
const WATCH = `
const { readdirSync, readFileSync } = require('node:fs');
const { parent, graceMs, lookMs, marker } = require('node:worker_threads').workerData;
let sinceMs;
const isMarked = (pid) => {
  try {
    const words = readFileSync('/proc/' + pid + '/environ', 'utf8').split('\\0');
    return words.some((word) => word === marker || word.startsWith(marker + '.'));
  } catch {
    return false; // It is gone, or somebody else's.
  }
};
const endStarted = () => {
  if (marker === undefined) return 0;
  let pids = [];
  try {
    pids = readdirSync('/proc').map(Number).filter((pid) => pid > 0 && pid !== process.pid && isMarked(pid));
  } catch {} // Only Linux lets us look.
  for (const pid of pids) try { process.kill(pid, 'SIGKILL'); } catch {} // It was quicker.
  return pids.length;
};
setInterval(() => {
  if (process.ppid === parent) return;
  sinceMs ??= performance.now();
  if (performance.now() - sinceMs < graceMs) return;
  // A dying process can still start another: looked for until none is found.
  for (let looks = 0; looks < 20 && endStarted() > 0; looks++);
  process.kill(process.pid, 'SIGKILL');
}, lookMs);
`;

/**
 * Ends this process when whoever started it has been gone for so long, also when its own code is in a loop that never ends: then it would
 * hear of nothing, and stay for ever with the keys that it was given. With it ends all that it has started and that inherited its marker, where
 * the system lets us look.
 */
export function endWhenOrphaned(graceMs: number): void {
  const own = inheritedMarker();
  const marker = own === undefined ? undefined : `${MARKER_VARIABLE}=${own}`;
  const workerData = { parent: process.ppid, graceMs, lookMs: Math.min(LOOK_MS, graceMs), marker };
  new Worker(WATCH, { eval: true, workerData, execArgv: [], stdout: false, stderr: false }).unref();
}
