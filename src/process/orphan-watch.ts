import process from 'node:process';
import { Worker } from 'node:worker_threads';

const LOOK_MS = 1_000;

/** Another thread goes round also while code keeps ours from it. It is small, and a file of its own would have to be found when we are built. */
const WATCH = `
const { parent, graceMs, lookMs } = require('node:worker_threads').workerData;
let sinceMs;
setInterval(() => {
  if (process.ppid === parent) return;
  sinceMs ??= performance.now();
  if (performance.now() - sinceMs >= graceMs) process.kill(process.pid, 'SIGKILL');
}, lookMs);
`;

/**
 * Ends this process when whoever started it has been gone for so long, also when its own code is in a loop that never ends: then it would
 * hear of nothing, and stay for ever with the keys that it was given.
 */
export function endWhenOrphaned(graceMs: number): void {
  const workerData = { parent: process.ppid, graceMs, lookMs: Math.min(LOOK_MS, graceMs) };
  new Worker(WATCH, { eval: true, workerData, execArgv: [], stdout: false, stderr: false }).unref();
}
