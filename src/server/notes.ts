import { definedOf } from '../base/index.ts';
import type { RunMarks } from '../results/index.ts';
import type { Note } from './api.ts';

type Said = RunMarks['notes'][number] | RunMarks['verdicts'][number];

/** Something that a person said of a run. */
export function noteOf(run: string, said: Said): Note {
  const { id, by, time, kind } = said;
  const { anchor } = said;
  return {
    id,
    run,
    kind,
    by: by.name,
    time,
    ...definedOf({
      text: said.text,
      verdict: said.kind === 'verdict' ? said.verdict : undefined,
      scorer: said.kind === 'verdict' ? said.scorer : undefined,
      sample: anchor?.sample,
      epoch: anchor?.epoch,
      event: anchor?.event,
    }),
  };
}

/** All that was said, oldest first. */
export function notesOf(run: string, marks: RunMarks | undefined): Note[] {
  const all = [...(marks?.notes ?? []), ...(marks?.verdicts ?? [])].map((said) => noteOf(run, said));
  return all.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
