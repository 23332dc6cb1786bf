import {
  isComplete,
  MERGE_STATES,
  type Merged,
  type MergeEntry,
  type MergeReport,
} from '../../artifacts/index.ts';
import { counted } from '../../base/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { formatBytes } from '../quantities.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** What a merge says to people: every generation but those that were here, what changed, and one line about all. */
export function printMerge({ report, unwritten }: Merged, terminal: Terminal): void {
  const { style } = terminal;
  for (const { name, state, reason } of report.sources) {
    if (state === 'failed') terminal.line(style.bad(`${name} cannot be read: ${reason}`));
    if (state === 'absent') terminal.line(style.warn(`${name} is not there.`));
  }
  for (const entry of report.entries) if (isWorthALine(entry)) terminal.line(entryLine(entry, terminal));
  for (const { unit, from, to } of report.changes) {
    if (from !== null) terminal.line(`current of ${oneLine(unit)} changed from ${from} to ${to}`);
  }
  terminal.line(summary(report, terminal));
  for (const failure of unwritten) terminal.note(terminal.noteStyle.warn(failure));
}

/** Damage is told from what is only missing; and whoever stopped it knows why not everything is here. */
export function exitOfMerge({ report, isInterrupted }: Merged): ExitCode {
  if (isInterrupted) return EXIT.interrupted;
  if (report.entries.some(({ state }) => state === 'corrupt' || state === 'conflicting')) return EXIT.damage;
  return isComplete(report) ? EXIT.ok : EXIT.failed;
}

function isWorthALine({ state, reason }: MergeEntry): boolean {
  return state !== 'already-here' || reason !== undefined;
}

function entryLine(
  { unit, generation, state, files, bytes, reason }: MergeEntry,
  { style }: Terminal,
): string {
  const what = files > 0 ? `, ${counted(files, 'file')}, ${formatBytes(bytes)}` : '';
  const line = `${state} ${oneLine(unit)}${generation === null ? '' : ` ${generation}`}${what}${reason === undefined ? '' : `: ${oneLine(reason)}`}`;
  if (GOOD.has(state)) return style.good(line);
  return state === 'never-seen' || state === 'incomplete' ? style.warn(line) : style.bad(line);
}

const GOOD: ReadonlySet<MergeEntry['state']> = new Set([
  'installed',
  'kept-current',
  'superseded',
  'already-here',
]);

function summary({ entries }: MergeReport, { style }: Terminal): string {
  if (entries.length === 0) return 'There was nothing to take over.';
  const counts = MERGE_STATES.map(
    (state) => [state, entries.filter((entry) => entry.state === state).length] as const,
  );
  const text = counts.flatMap(([state, count]) => (count > 0 ? [`${count} ${state}`] : [])).join(', ');
  const isGood = entries.every(({ state }) => GOOD.has(state));
  return isGood ? style.good(text) : style.warn(text);
}
