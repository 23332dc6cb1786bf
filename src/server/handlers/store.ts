import process from 'node:process';
import { type ActionableError, counted, definedOf, packageVersion } from '../../base/index.ts';
import type { ResultsStore } from '../../results/index.ts';
import { formatCount, formatDuration, shellWord } from '../../views/index.ts';
import type { Problem, SourceState, StoreView } from '../api.ts';
import type { Call } from '../call.ts';
import type { PinnedState } from '../studio.ts';
import { NO_RESULTS } from './about.ts';

type Health = StoreView['health'][number];

/** A source that takes longer than this to be looked at is named. */
const SLOW_MS = 5_000;

/** Where runs come from, what waits to be pushed, and what is wrong. */
export async function store({ studio, signal }: Call<'store'>): Promise<StoreView> {
  const { index, results, pinned } = studio;
  await index.begun(signal);
  const sources = index.sources();
  const state = results && (await resultsState(results));
  const ofResults = pinned ? healthOfPinned(pinned) : await healthOfResults(results, state);
  return {
    sources: [...sources],
    ...definedOf({ results: state?.shown }),
    index: index.state,
    versions: [
      { what: 'Holdfast', version: packageVersion() },
      { what: 'Node', version: process.version },
    ],
    health: [...sources.flatMap(healthOfSource), ...ofResults],
    commands: pinned ? [] : commandsFor(results),
  };
}

interface ResultsLook {
  readonly shown: NonNullable<StoreView['results']>;
  readonly remote: string | undefined;
}

/** Without asking anybody outside. */
async function resultsState(results: ResultsStore): Promise<ResultsLook> {
  const remote = await results.remote();
  const unread = await results.unread();
  const { commit } = await results.tree();
  const waiting = remote === undefined ? undefined : await results.waiting();
  const shown = {
    repository: results.dir,
    branch: results.ref.replace(/^refs\/heads\//, ''),
    commit,
    ...definedOf({ remote, waiting }),
    unread: unread.map(({ ref, error }) => problemOf(error, ref)),
  };
  return { shown, remote };
}

function problemOf({ code, message, hint }: ActionableError, place: string): Problem {
  return { code, message, hint, place };
}

function healthOfSource({ place, runs, damaged, lookMs = 0, problem }: SourceState): Health[] {
  const health: Health[] = [];
  if (problem) health.push({ is: 'bad', said: problem.message, hint: problem.hint });
  if (damaged > 0)
    health.push({
      is: 'warning',
      said: `${counted(damaged, 'run')} of ${formatCount(runs)} in ${place} cannot be read.`,
      hint: 'Filter the list of runs by is:damaged to see which, and why.',
    });
  if (lookMs > SLOW_MS)
    health.push({
      is: 'warning',
      said: `Looking at ${place} takes ${formatDuration(lookMs)}, so news from there comes late.`,
      hint: 'Publish its logs: results in git are looked at in a moment.',
    });
  return health;
}

function healthOfPinned({ commit }: PinnedState): readonly Health[] {
  return [
    { is: 'good', said: `These are the results as they were at ${commit.slice(0, 7)}, and nothing else.` },
  ];
}

async function healthOfResults(
  results: ResultsStore | undefined,
  state: ResultsLook | undefined,
): Promise<readonly Health[]> {
  if (!results || !state) return [{ is: 'warning', said: NO_RESULTS, hint: 'holdfast results init' }];
  const { waiting = 0, unread } = state.shown;
  const health: Health[] = unread.map(({ message, hint }) => ({ is: 'bad', said: message, hint }));
  if (waiting > 0)
    health.push({
      is: 'warning',
      said: `${counted(waiting, 'run')} ${waiting === 1 ? 'waits' : 'wait'} to be sent to ${state.remote}.`,
      hint: 'holdfast results sync',
    });
  if (await results.needsUpkeep())
    health.push({
      is: 'warning',
      said: 'The repository has many small packs.',
      hint: 'holdfast results upkeep',
    });
  return health.length > 0
    ? health
    : [{ is: 'good', said: 'Nothing waits to be sent, and nothing is known to be wrong.' }];
}

function commandsFor(results: ResultsStore | undefined): StoreView['commands'] {
  if (!results) return [{ what: 'Begin results in git', command: 'holdfast results init' }];
  const repo = `--repo ${shellWord(results.dir)}`;
  return [
    { what: 'Share results', command: `holdfast results sync ${repo}` },
    { what: 'Where results are, and what waits', command: `holdfast results status ${repo}` },
    { what: 'Check every document', command: `holdfast results verify ${repo}` },
  ];
}
