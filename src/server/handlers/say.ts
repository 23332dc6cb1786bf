import type { RunId } from '../../base/index.ts';
import {
  checkTag,
  type GivenSaying,
  type ResultsStore,
  sayOfRun,
  tagRun,
  untagRun,
} from '../../results/index.ts';
import { saying as sayingSchema } from '../api/search.ts';
import type { Note, Saying } from '../api.ts';
import type { Call } from '../call.ts';
import { mustBePublished, resultsToWrite } from '../can-write.ts';
import { noteView } from '../note-view.ts';
import type { Studio } from '../studio.ts';

/** Writes a note, a verdict or a tag into the results, as the commands do; never into a log. */
export async function say({ studio, body }: Call<'say'>): Promise<{ notes: Note[] }> {
  const saying = sayingSchema.parse(body);
  const results = resultsToWrite(studio);
  const runs = await publishedRuns(studio, 'runs' in saying ? saying.runs : [saying.run]);
  const notes = await write(results, runs, saying);
  // Whoever is told asks at once, and must not be answered with what was.
  await studio.index.lookAgain('results');
  studio.live.tell({ kind: 'notes', runs: [...runs] });
  return { notes };
}

async function publishedRuns(studio: Studio, given: readonly string[]): Promise<readonly RunId[]> {
  const runs = new Set<RunId>();
  for (const one of given) {
    const found = await studio.index.find(one);
    mustBePublished(found);
    runs.add(found.run);
  }
  return [...runs];
}

async function write(results: ResultsStore, runs: readonly RunId[], saying: Saying): Promise<Note[]> {
  if (saying.kind === 'tag' || saying.kind === 'untag') {
    checkTag(saying.tag);
    await (saying.kind === 'tag' ? tagRun : untagRun)(results, runs, [saying.tag]);
    return [];
  }
  const notes = [];
  for (const run of runs) {
    const view = noteView(await sayOfRun(results, run, givenOf(saying)));
    if (view) notes.push(view);
  }
  return notes;
}

function givenOf(saying: Exclude<Saying, { readonly kind: 'tag' | 'untag' }>): GivenSaying {
  switch (saying.kind) {
    case 'retract':
      return { kind: 'retraction', id: saying.id };
    case 'verdict': {
      const { verdict, text, scorer, sample, epoch } = saying;
      return {
        kind: 'verdict',
        verdict,
        text,
        scorer,
        anchor: { sample: String(sample), epoch, event: undefined },
      };
    }
    case 'note': {
      const { text, sample, epoch = 1, event } = saying;
      const anchor = sample === undefined ? undefined : { sample: String(sample), epoch, event };
      return { kind: 'note', text, anchor };
    }
  }
}
