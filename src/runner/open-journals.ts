import { counted } from '../base/index.ts';
import { addSegments, openRunJournals, type RunJournals } from '../journal/index.ts';
import type { RunSettings } from './settings.ts';

/** The journals of a run that this process has locked. */
export interface OpenJournals {
  readonly journals: RunJournals;
  /** What was done about their damage. */
  readonly notes: readonly string[];
  /** Removes what was made to read them; after they were closed. */
  clear(): Promise<void>;
}

/**
 * Opens the journals of a run; what damaged ones lack is read from the segments of their writers, when there is a bucket. Where
 * that is away the run does not go on: what is there would be bought again.
 */
export async function openJournals(
  { dir, runId }: { readonly dir: string; readonly runId: string },
  { disk, places }: RunSettings,
): Promise<OpenJournals> {
  const here = await openRunJournals({ disk, runDir: dir });
  const { segments } = places;
  if (!segments || here.damage.sentences.length === 0)
    return { journals: here, notes: [], clear: async () => undefined };
  const scratch = places.state.incomingDir(runId);
  const clear = () => disk.removeTree(scratch);
  try {
    await disk.makeDir(scratch);
    const { journals, writers, keys } = await addSegments(here, { disk, ...segments, run: runId, scratch });
    const notes =
      writers.length === 0
        ? []
        : [
            `What damaged journals of run ${runId} lack was looked for in the bucket: ${counted(keys.length, 'segment')} of ${counted(writers.length, 'writer')}.`,
          ];
    return { journals, notes, clear };
  } catch (error) {
    here.close();
    await clear();
    throw error;
  }
}
