/**
 * What the Studio and its server say to each other. Each route is data: where it is, what may be asked and what is answered. The
 * server checks what it is asked by it, the browser what it is answered, and the OpenAPI page is printed from it. Only zod is
 * imported, because it runs in the browser, too.
 */
import { z } from 'zod';
import { ARTIFACT_ROUTES } from './api/artifact-routes.ts';
import { alignedTranscripts, comparedSamples, compareView, matrixView } from './api/compare.ts';
import { evalsPage, evalView, sampleOverTime } from './api/evals.ts';
import { count, nothing, page, route, words } from './api/route.ts';
import { runTimeline, runView, sampleOrder, sampleStrips, samplesPage } from './api/run.ts';
import { runChanges, runsPage, runWords } from './api/runs.ts';
import {
  eventPlace,
  eventsPage,
  findLine,
  messagesPage,
  sampleView,
  skeleton,
  textPiece,
} from './api/sample.ts';
import { reviewQueue, SEARCH_PLACES, said, saying, searchLine } from './api/search.ts';
import { SHARED_ROUTES } from './api/shared-routes.ts';
import { about, liveEvent, storeView } from './api/store.ts';

export type {
  ArtifactsPage,
  ArtifactUses,
  ArtifactView,
  GenerationView,
  MergeReportsPage,
  MergeReportView,
  RecipeRow,
} from './api/artifacts.ts';
export type {
  AnyJson,
  Change,
  CutText,
  MetricScore,
  Note,
  Outcome,
  Problem,
  SampleId,
  Text,
  Verdict,
} from './api/common.ts';
export { cutText, errorAnswer } from './api/common.ts';
export type {
  AlignedTranscripts,
  ComparedCell,
  ComparedRun,
  ComparedSample,
  ComparedSamples,
  CompareView,
  FigureCompared,
  MatrixView,
} from './api/compare.ts';
export { CELL_LETTERS } from './api/compare.ts';
export type {
  EvalsPage,
  EvalView,
  HistoryPoint,
  SampleOverTime,
  SamplePoint,
  TurnedSample,
} from './api/evals.ts';
export type {
  DocumentPlace,
  ExportManifest,
  WrittenAnswer,
  WrittenComparison,
  WrittenRows,
  WrittenRun,
  WrittenSample,
  WrittenText,
  WrittenTranscript,
} from './api/export.ts';
export {
  EXPORT_VERSION,
  exportManifest,
  runPlaces,
  writtenAnswer,
  writtenAnswers,
  writtenComparisons,
  writtenFilters,
  writtenRun,
  writtenSample,
} from './api/export.ts';
export { pin, pinName } from './api/pin.ts';
export type { Route } from './api/route.ts';
export type {
  Counts,
  RunCost,
  RunSession,
  RunTimeline,
  RunView,
  SampleEpoch,
  SampleItem,
  SampleOrder,
  SampleStrips,
  SamplesPage,
} from './api/run.ts';
export type {
  IndexState,
  RunChange,
  RunFacts,
  RunForm,
  RunItem,
  RunsPage,
  RunWords,
  TrendPoint,
} from './api/runs.ts';
export type {
  EventsPage,
  FindLine,
  MessagesPage,
  SampleScore,
  SampleView,
  Skeleton,
  TextPiece,
} from './api/sample.ts';
export { EVENT_FLAGS } from './api/sample.ts';
export type { ReviewItem, ReviewQueue, Saying, SearchHit, SearchLine } from './api/search.ts';
export type {
  SharedBuild,
  SharedFailure,
  SharedFailures,
  SharedLease,
  SharedLeases,
  SharedPage,
  SharedQueue,
  SharedRates,
  SharedRow,
  SharedRunView,
  SharedWorker,
  SharedWorkers,
} from './api/shared.ts';
export type { About, LiveEvent, SourceState, StoreView } from './api/store.ts';

const list = { q: words, sort: words };
const runsOf = z
  .string()
  .max(6_000)
  .transform((text) => text.split(',').filter((one) => one !== ''));
/** Ids of samples as a list in JSON: they may have any character. */
const idsOf = z
  .string()
  .max(12_000)
  .transform((text, context) => {
    const given = z.array(z.string()).max(200).safeParse(jsonOf(text));
    if (given.success) return given.data;
    context.addIssue('a list of at most 200 ids in JSON is wanted, such as ["a","b"]');
    return z.NEVER;
  });
/** Of which score outcomes are told; the first by default. */
const score = z.string().max(500).optional();
/** An earlier try at the sample, from 1; the last when absent. */
const attempt = z.coerce.number().int().min(1).optional();

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is no list either.
    return undefined;
  }
}

const SAMPLE = '/api/runs/:run/samples/:sample/:epoch';

export const ROUTES = {
  about: route({ summary: 'What is served', path: '/api/about', query: nothing, answer: about }),
  runs: route({
    summary: 'Runs, filtered and sorted',
    path: '/api/runs',
    page: '/runs',
    pages: ['/'],
    query: z.object({ ...list, ...page }),
    answer: runsPage,
  }),
  runWords: route({
    summary: 'What may stand in a filter of runs',
    path: '/api/run-words',
    query: nothing,
    answer: runWords,
  }),
  runChanges: route({
    summary: 'Whether runs differ from the ones before them',
    path: '/api/run-changes',
    query: z.object({ runs: runsOf }),
    answer: runChanges,
  }),
  run: route({
    summary: 'One run',
    path: '/api/runs/:run',
    page: '/runs/:run',
    pages: ['/runs/:run/cost', '/runs/:run/config'],
    besides: { samples: 'samples' },
    query: z.object({ score }),
    answer: runView,
  }),
  samples: route({
    summary: 'The samples of a run, filtered and sorted',
    path: '/api/runs/:run/samples',
    query: z.object({ ...list, ...page, score }),
    answer: samplesPage,
  }),
  sampleOrder: route({
    summary: 'The keys of the samples of a run, filtered and sorted',
    path: '/api/runs/:run/order',
    query: z.object({ ...list, score }),
    answer: sampleOrder,
  }),
  sampleStrips: route({
    summary: 'The last results of samples of a run, up to this one',
    path: '/api/runs/:run/strips',
    query: z.object({ samples: idsOf, score }),
    answer: sampleStrips,
  }),
  timeline: route({
    summary: 'What happened when in a run',
    path: '/api/runs/:run/timeline',
    page: '/runs/:run/timeline',
    query: z.object({ score }),
    answer: runTimeline,
  }),
  header: route({
    summary: 'The header of a log, as it is',
    path: '/api/runs/:run/header',
    page: '/runs/:run/raw',
    query: nothing,
    answer: z.json(),
  }),
  sample: route({
    summary: 'One sample, without its transcript',
    path: SAMPLE,
    page: '/runs/:run/s/:sample/:epoch',
    besides: { messages: 'messages' },
    query: z.object({ score }),
    answer: sampleView,
  }),
  skeleton: route({
    summary: 'The skeleton of a transcript, in parts',
    path: `${SAMPLE}/skeleton`,
    query: z.object({ from: count(100_000_000, 0), limit: count(50_000, 20_000), attempt }),
    answer: skeleton,
  }),
  events: route({
    summary: 'Events of a transcript',
    path: `${SAMPLE}/events`,
    query: z.object({ from: count(100_000_000, 0), limit: count(500, 50), attempt }),
    answer: eventsPage,
  }),
  event: route({
    summary: 'One event with everything that it refers to; long texts are cut',
    path: `${SAMPLE}/events/:event`,
    query: z.object({ attempt }),
    answer: z.json(),
  }),
  eventPlace: route({
    summary: 'Where the event with a uuid is, or that brought the message with that id',
    path: `${SAMPLE}/place`,
    query: z.object({ uuid: z.string().max(200), attempt }),
    answer: eventPlace,
  }),
  messages: route({
    summary: 'The conversation at the end of a sample',
    path: `${SAMPLE}/messages`,
    query: z.object({ from: count(100_000_000, 0), limit: count(500, 50) }),
    answer: messagesPage,
  }),
  text: route({
    summary: 'A piece of a text that was cut',
    path: `${SAMPLE}/text`,
    query: z.object({
      at: z.string().max(2_000),
      from: count(2_000_000_000, 0),
      length: count(4_194_304, 262_144),
    }),
    answer: textPiece,
  }),
  find: route({
    summary: 'Where a text is in a transcript',
    path: `${SAMPLE}/find`,
    query: z.object({
      text: z.string().min(1).max(1_000),
      from: count(100_000_000, 0),
      limit: count(10_000, 1_000),
      attempt,
    }),
    answer: findLine,
    kind: 'lines',
  }),
  compare: route({
    summary: 'Two to six runs: the first, and the others beside it',
    path: '/api/compare',
    page: '/compare',
    besides: { samples: 'comparedSamples' },
    query: z.object({ runs: runsOf, score }),
    answer: compareView,
  }),
  comparedSamples: route({
    summary: 'The samples of a comparison',
    path: '/api/compare/samples',
    query: z.object({ runs: runsOf, score, ...list, ...page }),
    answer: comparedSamples,
  }),
  matrix: route({
    summary: 'Samples × runs',
    path: '/api/matrix',
    page: '/matrix',
    query: z.object({ runs: runsOf.default([]), q: words, limit: count(50, 20), score }),
    answer: matrixView,
  }),
  transcripts: route({
    summary: 'Two transcripts of one sample, aligned by turn',
    path: '/api/compare/transcripts/:sample',
    page: '/compare/s/:sample',
    query: z.object({ runs: runsOf, epoch: count(100_000, 1) }),
    answer: alignedTranscripts,
  }),
  evals: route({
    summary: 'All evals',
    path: '/api/evals',
    page: '/evals',
    query: nothing,
    answer: evalsPage,
  }),
  eval: route({
    summary: 'The history of an eval',
    path: '/api/evals/:eval',
    page: '/evals/:eval',
    query: z.object({ limit: count(200, 30), score }),
    answer: evalView,
  }),
  sampleOverTime: route({
    summary: 'One sample over time',
    path: '/api/evals/:eval/samples/:sample',
    page: '/evals/:eval/s/:sample',
    query: z.object({ limit: count(200, 50), score }),
    answer: sampleOverTime,
  }),
  search: route({
    summary: 'Where a text is in all runs',
    path: '/api/search',
    page: '/search',
    query: z.object({
      text: z.string().min(1).max(1_000),
      in: z.enum(SEARCH_PLACES).default('transcripts'),
      /** A filter of runs. */
      q: words,
      limit: count(5_000, 500),
    }),
    answer: searchLine,
    kind: 'lines',
  }),
  review: route({
    summary: 'Samples to be judged',
    path: '/api/review',
    page: '/review',
    query: z.object({ run: z.string().max(200).optional(), q: words, score, limit: count(1_000, 200) }),
    answer: reviewQueue,
  }),
  say: route({
    summary: 'Write a note, a verdict or a tag',
    path: '/api/notes',
    method: 'post',
    query: nothing,
    body: saying,
    answer: said,
  }),
  store: route({
    summary: 'Where runs come from',
    path: '/api/store',
    page: '/store',
    query: nothing,
    answer: storeView,
  }),
  ...SHARED_ROUTES,
  ...ARTIFACT_ROUTES,
  live: route({
    summary: 'What happens, as it happens; goes on after Last-Event-ID',
    path: '/api/live',
    query: nothing,
    answer: liveEvent,
    kind: 'events',
  }),
} as const;

export type RouteName = keyof typeof ROUTES;
export type QueryOf<Name extends RouteName> = z.output<(typeof ROUTES)[Name]['query']>;
export type AskedOf<Name extends RouteName> = z.input<(typeof ROUTES)[Name]['query']>;
export type AnswerOf<Name extends RouteName> = z.output<(typeof ROUTES)[Name]['answer']>;
/** As it is sent. */
export type SentOf<Name extends RouteName> = z.input<(typeof ROUTES)[Name]['answer']>;
