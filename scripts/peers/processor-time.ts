// What processes computed, with all that they started: on a busy machine this says more than the clock.

import { readFileSync } from 'node:fs';

/** The kernel's unit for the time of a process, on all that Node runs on. */
const TICK_MS = 10;

interface ProcessorTime {
  readonly ownMs: number;
  /** Of its children that have ended, and of theirs. */
  readonly childrenMs: number;
}

/** Up to now; not a number where the system does not tell (it is asked on Linux only). */
export function processorTimeOf(pid: number | 'self'): ProcessorTime {
  if (process.platform !== 'linux') return { ownMs: Number.NaN, childrenMs: Number.NaN };
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; what follows it is counted from 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = (first: number) => (Number(fields[first - 3]) + Number(fields[first - 2])) * TICK_MS;
  return { ownMs: ticks(14), childrenMs: ticks(16) };
}
