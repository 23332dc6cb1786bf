import type { RunStarted } from '../../runner/index.ts';
import { NO_MODEL } from '../../targets/index.ts';
import { counted, formatTime } from '../quantities.ts';
import type { RunChange, RunView } from './run-view.ts';

/** Shows runs while they are under way. */
export interface Progress {
  /** The one who fills the view calls this for every change. */
  onChange(view: RunView, change: RunChange): void;
  /** A sentence above the runs. */
  note(text: string): void;
  /** Nothing is drawn afterwards. */
  close(): void;
}

/** `capitals · openai/gpt-5`; a function that calls no model by itself has no such name. */
export function runTitle(name: string, target: string, gap = ' · '): string {
  return target === '' || target === NO_MODEL ? name : `${name}${gap}${target}`;
}

/** What earlier attempts left, as a sentence; empty when there is nothing to say. */
export function describeStart(run: RunStarted): string {
  const { previous, kept, reused } = run;
  const parts: string[] = [];
  if (previous) {
    const how = previous.saidGoodbye ? 'was stopped' : 'died';
    parts.push(
      `the last attempt ${how} at ${formatTime(previous.diedAt)}; ${counted(previous.kept, 'sample')} kept, ${previous.inFlight} in flight to be replayed`,
    );
  } else if (kept > 0) parts.push(`${counted(kept, 'sample')} kept from an earlier attempt`);
  if (reused > 0) parts.push(`${counted(reused, 'sample')} reused from finished logs`);
  return parts.join('; ');
}
