import type { Note } from './note.ts';

type Kind<K extends Note['kind']> = Extract<Note, { readonly kind: K }>;

/** What people said of a run, taken together. */
export interface RunMarks {
  readonly tags: readonly string[];
  readonly notes: readonly Kind<'note'>[];
  readonly verdicts: readonly Kind<'verdict'>[];
  readonly collections: readonly Kind<'collection'>[];
  /** The run is hidden from lists. */
  readonly removals: readonly Kind<'removal'>[];
  /** Sentences about notes that could not be read. */
  readonly damage: readonly string[];
}

/**
 * [RES-9] What notes say together. It is a function of the set of them: whichever way and in whichever order they came, everybody
 * sees the same, and no clock decides anything. A note counts unless a retraction that counts names it.
 */
export function foldNotes(
  notes: readonly Note[],
  { tags, damage = [] }: { readonly tags: readonly string[]; readonly damage?: readonly string[] },
): RunMarks {
  const retractions = retractionsOf(notes);
  const counting = inOrder(notes).filter(({ id }) => counts(id, retractions));
  const of = <K extends Note['kind']>(kind: K) =>
    counting.filter((note): note is Kind<K> => note.kind === kind);
  const hidden = new Set(of('untag').map(({ tag }) => tag));
  const own = tags.filter((tag) => !hidden.has(tag));
  return {
    tags: [...new Set([...own, ...of('tag').map(({ tag }) => tag)])],
    notes: of('note'),
    verdicts: of('verdict'),
    collections: of('collection'),
    removals: of('removal'),
    damage,
  };
}

/** The ids of the notes that count and say one thing: what a retraction has to name. */
export function idsThatSay(notes: readonly Note[], says: (note: Note) => boolean): readonly string[] {
  const retractions = retractionsOf(notes);
  return inOrder(notes)
    .filter((note) => says(note) && counts(note.id, retractions))
    .map(({ id }) => id);
}

type Retractions = ReadonlyMap<string, readonly string[]>;

/** For each note, the retractions that name it. */
function retractionsOf(notes: readonly Note[]): Retractions {
  const found = new Map<string, string[]>();
  for (const note of notes) {
    if (note.kind !== 'retraction') continue;
    for (const id of note.of) found.set(id, [...(found.get(id) ?? []), note.id]);
  }
  return found;
}

/** `seen` guards against retractions that name each other, which nobody can write by our commands. */
function counts(id: string, retractions: Retractions, seen: ReadonlySet<string> = new Set()): boolean {
  if (seen.has(id)) return false;
  const before = new Set([...seen, id]);
  return (retractions.get(id) ?? []).every((one) => !counts(one, retractions, before));
}

function inOrder(notes: readonly Note[]): readonly Note[] {
  const once = new Map(notes.map((note) => [note.id, note]));
  return [...once.values()].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
