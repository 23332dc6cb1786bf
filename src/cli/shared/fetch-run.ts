import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ArtifactCache,
  type ArtifactSource,
  bucketSource,
  isComplete,
  type MergeEntry,
  type MergeReport,
  pinsIn,
} from '../../artifacts/index.ts';
import { ActionableError, definedOf, systemClock, systemRandom } from '../../base/index.ts';
import {
  comeHome,
  type HomeReport,
  isSettled,
  type JobId,
  jobNames,
  noteFetched,
  rememberingBucket,
  type SharedRun,
} from '../../cluster/index.ts';
import { nodeDisk, tempPathFor } from '../../disk/index.ts';
import { type EvalResults, type LogHeader, openLog } from '../../log/index.ts';
import { missedThresholds, placesOf, ScorerTally, type StopSignals } from '../../runner/index.ts';
import { cacheDirOf } from '../artifacts/artifact-place.ts';
import type { CommandCall } from '../command.ts';
import { type OnProgress, withProgress } from '../recover/recover-progress.ts';
import { autoPublish, type PublishReport } from '../results/auto-publish.ts';
import type { PublishFlags } from '../results/publish-options.ts';
import { namedJob } from './event-lines.ts';
import { type LaunchEnd, stopLaunchedFor } from './launch-for.ts';
import { seenStatus } from './seen-status.ts';
import { type OpenedPlace, submitterName } from './shared-place.ts';

export interface FetchFlags extends PublishFlags {
  readonly json?: true;
  readonly logDir: string;
  readonly cache?: string;
  readonly bucket?: string;
  readonly quiet?: true;
  /** False with `--no-evidence`. */
  readonly evidence?: boolean;
}

/** What came home of one run. */
export interface Fetched {
  /** `s3 cities-4`: what people call a job of it. */
  readonly nameOf: (job: string) => string;
  readonly home: HomeReport;
  readonly results?: EvalResults;
  /** Sentences about metrics that are below what the eval asks for. */
  readonly missed: readonly string[];
  /** Scorers that failed, or scored nothing. */
  readonly scorerTroubles: ReturnType<ScorerTally['troubles']>;
  readonly artifacts?: MergeReport;
  readonly published?: PublishReport;
  /** What became of workers that were launched for it. */
  readonly launched: readonly LaunchEnd[];
}

interface Fetching {
  readonly call: CommandCall<FetchFlags>;
  readonly place: OpenedPlace;
  /** Whoever launched them stops them: they may work on other runs. */
  readonly keepsWorkers?: boolean;
  /** The first Ctrl-C ends it before what is not begun yet, the second also what is. */
  readonly signals: StopSignals;
}

/**
 * Brings one run home: its log, the artifacts that it used, and into the results where some were begun. Told to stop before there is a log it
 * rejects with the reason; what was downloaded is kept, and the next fetch goes on with it.
 */
export async function fetchRun(
  shared: SharedRun,
  { call, place, signals, keepsWorkers = false }: Fetching,
): Promise<Fetched> {
  const { flags, terminal } = call;
  const { logs, state } = await placesOf(nodeDisk, { logDir: flags.logDir, workDir: terminal.cwd });
  const dir = join(state.path, 'fetched', shared.run);
  const bucket = rememberingBucket(place.bucket, {
    ...{ disk: nodeDisk, dir, signal: signals.drain },
    isLasting: (key) => key.startsWith(`${place.prefix}${shared.run}/segments/`),
  });
  const isSettledNow = isSettled(await seenStatus(shared, place));
  const home = await told(call, (onProgress) =>
    comeHome(shared, {
      ...{ disk: nodeDisk, clock: systemClock, place: { bucket, prefix: place.prefix }, state, logs },
      ...{ isSettled: isSettledNow, isEvidenceWanted: flags.evidence ?? true, onProgress },
      signal: signals.drain,
    }),
  );
  const isDone = (home.isComplete || isSettledNow) && !keepsWorkers;
  const launched = isDone ? await stopLaunchedFor(shared.run, { place, terminal }) : [];
  const named = jobNames(shared.submission);
  const nameOf = (job: string) => namedJob(job, named(job as JobId));
  if (home.log === undefined) return { home, nameOf, missed: [], scorerTroubles: [], launched };
  const { header, scorerTroubles } = await readSealed(home.log);
  const pins = [...pinsIn(header.eval.metadata), ...builtBy(shared)];
  const artifacts = pins.length === 0 ? undefined : await mergeArtifacts(pins, { call, place, signals });
  const published = signals.drain.aborted ? undefined : await autoPublish({ logs, state }, call);
  const { results } = header;
  const about = { home, nameOf, scorerTroubles, launched, ...definedOf({ results, artifacts, published }) };
  // What is there of a run that was cancelled is not judged, and not done with: it can be resumed.
  if (!home.isComplete) return { ...about, missed: [] };
  const isMerged = (artifacts === undefined || isComplete(artifacts)) && isEvidenceHome(shared, home);
  const words = { clock: systemClock, by: submitterName(), isMerged: isMerged && isWholeHome(home) };
  await tryNote(shared, place, { ...words, note: terminal.note });
  // All of it is in the log now.
  await nodeDisk.removeTree(dir);
  const { threshold = {} } = shared.submission;
  return { ...about, missed: results ? missedThresholds(threshold, results) : [] };
}

/** Everything is home; when the bucket cannot be told, it keeps the run. */
async function tryNote(
  shared: SharedRun,
  place: OpenedPlace,
  { note, ...words }: Parameters<typeof noteFetched>[2] & { readonly note: (text: string) => void },
): Promise<void> {
  try {
    await noteFetched(shared, place, words);
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    const isGone = error.code === 'E_SHARED_REMOVED';
    const soWhat = 'So the bucket does not know that the run is home, and "holdfast runs gc" keeps it.';
    note(isGone ? error.message : `${error.message} ${soWhat}`);
  }
}

/** What takes long says how far it is, unless nobody wants to hear it. */
function told<T>(
  { flags, terminal }: CommandCall<FetchFlags>,
  work: (onProgress: OnProgress | undefined) => Promise<T>,
): Promise<T> {
  return flags.quiet ? work(undefined) : withProgress(terminal, systemClock, work);
}

/** What the log says of itself, and how its scorers did, as a run of one machine counts it. */
async function readSealed(
  path: string,
): Promise<{ readonly header: LogHeader } & Pick<Fetched, 'scorerTroubles'>> {
  const log = await openLog(nodeDisk, path);
  try {
    const tally = new ScorerTally();
    for await (const { scores } of log.summaries()) tally.add(scores ?? {});
    return { header: await log.header(), scorerTroubles: tally.troubles() };
  } finally {
    await log.close();
  }
}

/** Nothing is collected of which something was left in the bucket, also when that was asked for. */
function isEvidenceHome(shared: SharedRun, { evidence }: HomeReport): boolean {
  if (evidence) return evidence.isWhole;
  for (const job of shared.jobs())
    if (shared.leasesOf(job).some(({ ended }) => ended?.evidence)) return false;
  return true;
}

/** False when something that was stored could not be read: the bucket may hold the only copy. */
function isWholeHome({ problems, lostResults, damaged }: HomeReport): boolean {
  return problems.length + lostResults.length + damaged.length === 0;
}

/** True when something that was stored is not what it should be: of results, or of artifacts. */
export function isDamaged({ home, artifacts }: Fetched): boolean {
  const isBad = ({ state }: MergeEntry) => state === 'corrupt' || state === 'conflicting';
  return !isWholeHome(home) || (artifacts?.entries.some(isBad) ?? false);
}

const FORGETTING = { disk: nodeDisk, isLasting: () => false };

/** Whether thresholds are met, of a run that is not fetched: sealed in a place of its own, which goes again. Asked for only where there are some. */
export async function missedOf(
  shared: SharedRun,
  place: OpenedPlace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { threshold } = shared.submission;
  if (threshold === undefined) return [];
  const dir = tempPathFor(join(tmpdir(), 'holdfast-wait'));
  await nodeDisk.makeDir(dir);
  try {
    const { logs, state } = await placesOf(nodeDisk, { logDir: dir, workDir: dir });
    const { log: path = '' } = await comeHome(shared, {
      ...{ disk: nodeDisk, clock: systemClock, state, logs, signal },
      place: {
        prefix: place.prefix,
        bucket: rememberingBucket(place.bucket, { ...FORGETTING, dir, signal }),
      },
    });
    const log = await openLog(nodeDisk, path);
    const { results } = await log.header();
    await log.close();
    return results ? missedThresholds(threshold, results) : [];
  } finally {
    await nodeDisk.removeTree(dir);
  }
}

/** Also first stages, which no sample reads: who builds a second one anew needs them. */
function builtBy(shared: SharedRun): ReturnType<typeof pinsIn> {
  return shared.submission.builds.flatMap(({ job }) => shared.endOf(job)?.pin ?? []);
}

/** The very generations that the log names and its workers built, from the store of the bucket into the warm cache. */
async function mergeArtifacts(
  pins: ReturnType<typeof pinsIn>,
  { call: { flags, terminal }, place, signals }: Pick<Fetching, 'call' | 'place' | 'signals'>,
): Promise<MergeReport> {
  const dir = await cacheDirOf(flags, terminal.cwd);
  const cache = ArtifactCache.open({ disk: nodeDisk, clock: systemClock, random: systemRandom, dir });
  const recipes = pins.map(({ recipe }) => String(recipe));
  const { report } = await cache.merge(
    [ofRecipes(bucketSource({ disk: nodeDisk, bucket: place.store }), recipes)],
    {
      ...{ stop: signals.drain, signal: signals.abort },
      expected: pins.map(({ kind, key, recipe, generation }) => ({ kind, key, recipe, generation })),
    },
  );
  return report;
}

function ofRecipes(source: ArtifactSource, recipes: readonly string[]): ArtifactSource {
  return {
    ...source,
    list: async (signal) =>
      (await source.list(signal))?.filter(({ folder }) =>
        recipes.some((recipe) => recipe.startsWith(folder.slice(folder.lastIndexOf('/') + 1))),
      ),
  };
}
