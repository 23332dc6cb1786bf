import { definedOf, type RunId, UsageError } from '../base/index.ts';
import type { Note, NoteSaying } from './note.ts';
import { anchorIn, type GivenAnchor } from './note-anchor.ts';
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

/** What somebody wants to say of one run, or of a place in it, as it was given. */
export type GivenSaying =
  | { readonly kind: 'note'; readonly text: string; readonly anchor?: GivenAnchor | undefined }
  | {
      readonly kind: 'verdict';
      readonly verdict: 'pass' | 'fail' | 'unsure';
      readonly anchor: GivenAnchor;
      readonly text?: string | undefined;
      readonly scorer?: string | undefined;
    }
  | { readonly kind: 'retraction'; readonly id: string };

/** Says it, when there is something to say and the run has the place that it is about. */
export async function sayOfRun(store: ResultsStore, run: RunId, given: GivenSaying): Promise<Note> {
  const saying = await sayingOf(store, run, given);
  const [note] = await store.say([run], (_, { notes }) => {
    if (given.kind === 'retraction' && !notes.some(({ id }) => id === given.id)) throw unknownNote(given.id);
    return [saying];
  });
  return note as Note;
}

async function sayingOf(store: ResultsStore, run: RunId, given: GivenSaying): Promise<NoteSaying> {
  if (given.kind === 'retraction') return { kind: 'retraction', of: [given.id] };
  const { text } = given;
  if (given.kind === 'note') {
    if (given.text.trim() === '') throw nothingSaid();
    const anchor = given.anchor && (await placeIn(store, run, given.anchor));
    return { kind: 'note', text: given.text, ...definedOf({ anchor }) };
  }
  const { verdict, scorer } = given;
  const anchor = await placeIn(store, run, given.anchor);
  return { kind: 'verdict', verdict, anchor, ...definedOf({ text, scorer }) };
}

async function placeIn(store: ResultsStore, run: RunId, anchor: GivenAnchor) {
  const log = await store.open(await store.find(run));
  try {
    return await anchorIn(log, anchor);
  } finally {
    await log.close();
  }
}

const TAG_LENGTH_MAX = 200;

/** Refuses what cannot be a tag. */
export function checkTag(tag: string): void {
  if (tag.trim() !== '' && tag.length <= TAG_LENGTH_MAX && !/\p{Cc}/u.test(tag)) return;
  throw new UsageError({
    code: 'E_TAG',
    message: `${JSON.stringify(tag.slice(0, 60))} cannot be a tag.`,
    hint: `Use a word or a few, without control characters, of at most ${TAG_LENGTH_MAX} characters.`,
  });
}

function nothingSaid(): UsageError {
  return new UsageError({
    code: 'E_NOTE',
    message: 'Nothing was said.',
    hint: 'Put it in quotes behind the run.',
  });
}

function unknownNote(id: string): UsageError {
  return new UsageError({
    code: 'E_NOTE',
    message: `The run has no note ${id}.`,
    hint: '"holdfast results show <run> --json" lists its notes.',
  });
}
