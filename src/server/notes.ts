import type { RunMarks } from '../results/index.ts';
import type { Note } from './api.ts';
import { toldView } from './note-view.ts';

/** All that people said of a run, oldest first. */
export function notesOf(marks: RunMarks | undefined): Note[] {
  const all = [...(marks?.notes ?? []), ...(marks?.verdicts ?? [])].map(toldView);
  return all.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
