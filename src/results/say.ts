import { definedOf, type RunId } from '../base/index.ts';
import type { Note, NoteSaying } from './note.ts';
import type { FoundNotes } from './notes.ts';
import type { ResultsStore } from './results-store.ts';
import { foldNotes, idsThatSay } from './run-marks.ts';

/** Tags runs; what is tagged so already is left as it is. A tag of the log that was taken away comes back. */
export async function tagRun(
  store: ResultsStore,
  runs: readonly RunId[],
  tags: readonly string[],
): Promise<readonly Note[]> {
  return sayOfTags(store, runs, ({ has, own, before }) =>
    [...new Set(tags)].filter((tag) => !has.has(tag)).map((tag) => addTag(tag, own, before)),
  );
}

/** Takes tags away, wherever they come from; what a run does not have is left. */
export async function untagRun(
  store: ResultsStore,
  runs: readonly RunId[],
  tags: readonly string[],
): Promise<readonly Note[]> {
  return sayOfTags(store, runs, ({ has, own, before }) =>
    [...new Set(tags)].filter((tag) => has.has(tag)).flatMap((tag) => takeTag(tag, own, before)),
  );
}

interface TagsBefore {
  /** What it has now, of its log and by notes. */
  readonly has: ReadonlySet<string>;
  readonly own: readonly string[];
  readonly before: FoundNotes;
}

function sayOfTags(
  store: ResultsStore,
  runs: readonly RunId[],
  sayings: (tags: TagsBefore) => readonly NoteSaying[],
): Promise<readonly Note[]> {
  return store.say(runs, async (run, before) => {
    const own = await store.tagsOf(run);
    return sayings({ has: new Set(foldNotes(before.notes, { tags: own }).tags), own, before });
  });
}

/** Hides runs from lists. Nothing of them goes. */
export async function removeRun(
  store: ResultsStore,
  runs: readonly RunId[],
  reason?: string,
): Promise<readonly Note[]> {
  return store.say(runs, (_, { notes }): readonly NoteSaying[] => {
    if (idsThatSay(notes, isRemoval).length > 0) return [];
    return [{ kind: 'removal', ...definedOf({ reason }) }];
  });
}

/** Shows runs again that were removed. */
export async function restoreRun(store: ResultsStore, runs: readonly RunId[]): Promise<readonly Note[]> {
  return store.say(runs, (_, { notes }) => retractionOf(idsThatSay(notes, isRemoval)));
}

const isRemoval = ({ kind }: Note) => kind === 'removal';

/** A tag of the log itself is hidden by a note: to take that back is enough. */
function addTag(tag: string, own: readonly string[], { notes }: FoundNotes): NoteSaying {
  const hiding = own.includes(tag) ? idsThatSay(notes, (one) => one.kind === 'untag' && one.tag === tag) : [];
  return hiding.length > 0 ? { kind: 'retraction', of: [...hiding] } : { kind: 'tag', tag };
}

function takeTag(tag: string, own: readonly string[], { notes }: FoundNotes): readonly NoteSaying[] {
  const said = idsThatSay(notes, (one) => one.kind === 'tag' && one.tag === tag);
  return [...retractionOf(said), ...(own.includes(tag) ? [{ kind: 'untag' as const, tag }] : [])];
}

function retractionOf(of: readonly string[]): readonly NoteSaying[] {
  return of.length > 0 ? [{ kind: 'retraction', of: [...of] }] : [];
}
