import type { Handlers } from './app.ts';
import { about } from './handlers/about.ts';
import { artifactUses } from './handlers/artifact-uses.ts';
import { artifact, artifacts } from './handlers/artifacts.ts';
import { compare, comparedSamples } from './handlers/compare.ts';
import { evalHistory, sampleOverTime } from './handlers/eval.ts';
import { evals } from './handlers/evals-list.ts';
import { matrix } from './handlers/matrix.ts';
import { mergeReport, mergeReports } from './handlers/merges.ts';
import { review } from './handlers/review.ts';
import { header, run } from './handlers/run.ts';
import { runChanges } from './handlers/run-changes.ts';
import { runs, runWords } from './handlers/runs.ts';
import { sample } from './handlers/sample.ts';
import { sampleStrips } from './handlers/sample-strips.ts';
import { sampleOrder, samples } from './handlers/samples.ts';
import { say } from './handlers/say.ts';
import { search } from './handlers/search.ts';
import {
  shared,
  sharedFailures,
  sharedLeases,
  sharedQueue,
  sharedRun,
  sharedWorkers,
} from './handlers/shared.ts';
import { store } from './handlers/store.ts';
import { timeline } from './handlers/timeline.ts';
import { event, eventPlace, events, find, messages, skeleton, text } from './handlers/transcript.ts';
import { transcripts } from './handlers/transcripts.ts';

/** Who answers what. */
export const handlers: Handlers = {
  about,
  runs,
  runWords,
  runChanges,
  run,
  samples,
  sampleOrder,
  sampleStrips,
  timeline,
  header,
  sample,
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
  review,
  say,
  store,
  shared,
  sharedRun,
  sharedWorkers,
  sharedLeases,
  sharedFailures,
  sharedQueue,
  artifacts,
  artifact,
  artifactUses,
  mergeReports,
  mergeReport,
};
