import type { AnswerOf, AskedOf, LiveEvent, RouteName, Saying } from '../../../src/server/api.ts';

/** The parts of each route's address. A test holds it against the paths. */
export const PARAMS = {
  about: [],
  runs: [],
  runWords: [],
  runChanges: [],
  run: ['run'],
  samples: ['run'],
  sampleOrder: ['run'],
  sampleStrips: ['run'],
  timeline: ['run'],
  header: ['run'],
  sample: ['run', 'sample', 'epoch'],
  skeleton: ['run', 'sample', 'epoch'],
  events: ['run', 'sample', 'epoch'],
  event: ['run', 'sample', 'epoch', 'event'],
  eventPlace: ['run', 'sample', 'epoch'],
  messages: ['run', 'sample', 'epoch'],
  text: ['run', 'sample', 'epoch'],
  find: ['run', 'sample', 'epoch'],
  compare: [],
  comparedSamples: [],
  matrix: [],
  transcripts: ['sample'],
  evals: [],
  eval: ['eval'],
  sampleOverTime: ['eval', 'sample'],
  search: [],
  review: [],
  say: [],
  store: [],
  shared: [],
  sharedRun: ['run'],
  sharedWorkers: ['run'],
  sharedLeases: ['run'],
  sharedFailures: ['run'],
  sharedQueue: ['run'],
  artifacts: [],
  mergeReports: [],
  mergeReport: ['report'],
  artifact: ['recipe'],
  artifactUses: ['recipe'],
  live: [],
} as const satisfies Record<RouteName, readonly string[]>;

export type ParamsOf<Name extends RouteName> = Readonly<
  Record<(typeof PARAMS)[Name][number], string | number>
>;

/** Routes that answer with one JSON document a line. */
export type LinesRoute = 'find' | 'search';
/** Routes that answer with one JSON document. */
export type AskRoute = Exclude<RouteName, LinesRoute | 'live' | 'say'>;

/** What an answer depends on: parts of the address, and what comes after the question mark. */
export interface Asked<Name extends RouteName> {
  readonly params: ParamsOf<Name>;
  readonly query: AskedOf<Name>;
}

/** How the event stream is. `retryAt`: milliseconds of the clock. */
export type LiveState =
  | { readonly is: 'idle' }
  | { readonly is: 'open' }
  | { readonly is: 'lost'; readonly retryAt: number };

export interface LiveListener {
  onEvent(event: LiveEvent): void;
  onState(state: LiveState): void;
}

/**
 * The only door to data. The server's answers come through it by HTTP; those of a static export by script chunks. Every answer is
 * parsed by the schema of its route. Failures are `ProblemError`s; an aborted signal rejects with its reason.
 */
export interface StudioData {
  /** The commit of the results that all answers are of; undefined for what is there now. */
  readonly pin: string | undefined;
  ask<Name extends AskRoute>(name: Name, asked: Asked<Name>, signal?: AbortSignal): Promise<AnswerOf<Name>>;
  lines<Name extends LinesRoute>(
    name: Name,
    asked: Asked<Name>,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerOf<Name>>;
  say(saying: Saying): Promise<AnswerOf<'say'>>;
  /** Tells what happens until the returned function is called. */
  live(listener: LiveListener): { readonly retry: () => void; readonly stop: () => void };
}
