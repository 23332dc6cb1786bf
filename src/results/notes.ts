import { ActionableError, isoTime, newRunId, type RunId } from '../base/index.ts';
import type { CatFile, ImportFile, ObjectId } from '../git/index.ts';
import { changeResults, type ResultsPorts } from './change-results.ts';
import { notesSteps } from './layout.ts';
import { type Note, type NoteSaying, noteBytes, readNote } from './note.ts';
import type { ResultsTree } from './results-tree.ts';

export interface FoundNotes {
  readonly notes: readonly Note[];
  /** Sentences about those that could not be read; they hinder no others. */
  readonly damage: readonly string[];
}

export async function readNotes(tree: ResultsTree, objects: CatFile, run: RunId): Promise<FoundNotes> {
  const steps = notesSteps(run);
  const files = (await tree.folder(steps)).filter(({ kind }) => kind === 'blob');
  const notes: Note[] = [];
  const damage: string[] = [];
  const found = files.flatMap(({ name, ids }) =>
    ids.map((id) => ({ path: `${steps.join('/')}/${name}`, id })),
  );
  for (const one of await Promise.all(found.map((file) => readOne(objects, file)))) {
    if (typeof one === 'string') damage.push(one);
    else notes.push(one);
  }
  return { notes, damage };
}

async function readOne(
  objects: CatFile,
  { path, id }: { readonly path: string; readonly id: ObjectId },
): Promise<Note | string> {
  try {
    const blob = await objects.object(id);
    return blob ? readNote(blob.bytes, path) : `The note ${path} is missing in the repository.`;
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return error.message;
  }
}

/** What somebody wants to say of one run, on what was said before; nothing when it is said already. */
export type SayOf = (
  run: RunId,
  before: FoundNotes,
) => Promise<readonly NoteSaying[]> | readonly NoteSaying[];

/**
 * Says things of runs, in one commit. Notes are never changed: each is a file of its own with a name that nobody else gives, so notes of
 * several clones are united by taking all of them [RES-8].
 */
export async function addNotes(
  ports: ResultsPorts,
  runs: readonly RunId[],
  sayOf: SayOf,
): Promise<readonly Note[]> {
  return changeResults<readonly Note[]>(ports, async (tree) => {
    const made: Note[] = [];
    for (const run of runs) {
      const before = await readNotes(tree, ports.objects, run);
      for (const saying of await sayOf(run, before)) made.push(noteOf(run, saying, ports, made.length));
    }
    if (made.length === 0) return { done: made };
    return { message: messageFor(made), files: made.map(fileOf), whenDone: () => made };
  });
}

/** What is said at once keeps its order: ids sort by time. */
function noteOf(
  run: RunId,
  saying: NoteSaying,
  { clock, random, author }: ResultsPorts,
  place: number,
): Note {
  const id = newRunId(clock.nowMs() + place, random);
  return { version: 1, id, run, by: author(), time: isoTime(clock.nowMs()), ...saying };
}

/** A note as a file, for a commit that says something beside what it does. */
export function noteFile(run: RunId, saying: NoteSaying, ports: ResultsPorts): ImportFile {
  return fileOf(noteOf(run, saying, ports, 0));
}

function fileOf(note: Note): ImportFile {
  const folder = notesSteps(note.run as RunId).join('/');
  return { path: `${folder}/${note.id}.json`, content: noteBytes(note) };
}

function messageFor(notes: readonly Note[]): string {
  const kinds = [...new Set(notes.map(({ kind }) => kind))].join(', ');
  const runs = [...new Set(notes.map(({ run }) => run))];
  return `Say of ${runs.length === 1 ? runs[0] : `${runs.length} runs`}: ${kinds}\n`;
}
