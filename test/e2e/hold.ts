/** A gate in front of whoever sells answers: while it is held a run cannot end, however slow the machine is that cancels, kills or signals it. */
import { writeFileSync } from 'node:fs';

/**
 * Lines of an eval. `await untilLetGo(ledger)` waits while the ledger has as many lines as the hold allows. What is sold is to be written down
 * right after it, with nothing awaited in between: then no process sells more than it may. `HOLD` names the hold of a process that has its own.
 */
export const HOLD = `
import { existsSync as isThere, readFileSync as readAll } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
const linesOf = (ledger) => (isThere(ledger) ? readAll(ledger, 'utf8').split('\\n').length - 1 : 0);
const allowed = (file) => (isThere(file) ? Number(readAll(file, 'utf8')) : Infinity);
const untilLetGo = async (ledger, signal) => {
  while (linesOf(ledger) >= allowed(process.env.HOLD ?? ledger + '-hold')) await pause(20, undefined, { signal });
};
`;

/** Lets the ledger grow to so many lines, and no further. Processes that sell at the same moment may each sell one more. */
export function hold(ledger: string, lines: number): void {
  holdIn(`${ledger}-hold`, lines);
}

export function letGo(ledger: string): void {
  hold(ledger, Number.POSITIVE_INFINITY);
}

/** For those processes whose `HOLD` is this file. */
export function holdIn(file: string, lines: number): void {
  writeFileSync(file, String(lines));
}
