import type { About, RunItem } from '../../../src/server/api.ts';
import { shellWord } from '../../../src/views/index.ts';
import { counted } from './counted.ts';

type Kept = Pick<RunItem, 'run' | 'form' | 'place' | 'name' | 'isPublished'>;

/**
 * Why nothing can be said of runs (no tag, no note, no verdict), in words that are shown before anybody has typed; undefined when it
 * can, or while nobody knows.
 */
export function whyNotSaid(about: About | undefined, runs: readonly Kept[]): string | undefined {
  if (about === undefined) return undefined;
  if (!about.canWrite) return about.whyNot ?? 'Nothing can be written here.';
  const others = runs.filter((run) => run.form !== 'published' && run.isPublished !== true);
  const [first] = others;
  if (first === undefined) return undefined;
  const who =
    runs.length === 1
      ? 'This run is'
      : `${counted(others.length, 'run')} of these ${others.length === 1 ? 'is' : 'are'}`;
  return `${who} not published, and what people say is kept beside published runs: ${nextStep(first)}`;
}

function nextStep({ form, place, name }: Kept): string {
  if (form === 'log')
    return `"holdfast results publish ${shellWord(place === '' ? name : `${place.replace(/\/$/, '')}/${name}`)}" publishes it.`;
  if (form === 'agentv') return "runs of AgentV's are only read.";
  return 'it can be published once it has a log.';
}
