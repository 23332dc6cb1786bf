import { definedOf } from '../base/index.ts';
import type { Note as StoredNote } from '../results/index.ts';
import type { Note } from './api.ts';

type Told = Extract<StoredNote, { readonly kind: 'note' | 'verdict' }>;

/** A note as the Studio shows it; undefined for what is no note to people, such as a tag. */
export function noteView(note: StoredNote): Note | undefined {
  return note.kind === 'note' || note.kind === 'verdict' ? toldView(note) : undefined;
}

export function toldView(note: Told): Note {
  const { id, run, kind, by, time, text, anchor } = note;
  const said = note.kind === 'verdict' ? { verdict: note.verdict, scorer: note.scorer } : {};
  return {
    ...{ id, run, kind, by: by.name, time },
    ...definedOf({ text, sample: anchor?.sample, epoch: anchor?.epoch, event: anchor?.event, ...said }),
  };
}
