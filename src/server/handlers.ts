import type { Handlers } from './app.ts';
import { about } from './handlers/about.ts';
import { compare, comparedSamples } from './handlers/compare.ts';
import { evalHistory, sampleOverTime } from './handlers/eval.ts';
import { evals } from './handlers/evals-list.ts';
import { matrix } from './handlers/matrix.ts';
import { runChanges } from './handlers/run-changes.ts';
import { runs, runWords } from './handlers/runs.ts';
import { search } from './handlers/search.ts';
import { store } from './handlers/store.ts';
import { event, eventPlace, events, find, messages, skeleton, text } from './handlers/transcript.ts';
import { transcripts } from './handlers/transcripts.ts';

const pending = (): never => {
  throw new Error('not there yet');
};

/** Who answers what. */
export const handlers: Handlers = {
  about,
  runs,
  runWords,
  runChanges,
  run: pending,
  samples: pending,
  sampleOrder: pending,
  timeline: pending,
  header: pending,
  sample: pending,
  skeleton,
  events,
  event,
  eventPlace,
  messages,
  text,
  find,
  compare,
  comparedSamples,
  matrix,
  transcripts,
  evals,
  eval: evalHistory,
  sampleOverTime,
  search,
  review: pending,
  say: pending,
  store,
};
