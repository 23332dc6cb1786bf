import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { openStore } from '../artifacts/index.ts';
import { type Clock, definedOf, type Random, systemClock, systemRandom } from '../base/index.ts';
import { type Bucket, isBucketUrl } from '../bucket/index.ts';
import { type Disk, nodeDisk } from '../disk/index.ts';
import { STATE_FOLDER } from '../journal/index.ts';
import type { LoggedCode } from '../log/index.ts';
import type { EarlierLogs } from '../reuse/index.ts';
import {
  type Budget,
  billedTarget,
  type CallLimiter,
  type CallLimits,
  createCallLimiter,
  createModels,
  type Env,
  type LanguageModel,
  type ModelGate,
  type Models,
  type PriceTable,
} from '../targets/index.ts';
import type { ArtifactAccount } from './account.ts';
import { buildArtifacts } from './artifacts/build-artifacts.ts';
import type { BuildWish } from './artifacts/eval-artifacts.ts';
import type { ReuseMode } from './earlier-runs.ts';
import type { Elsewhere } from './elsewhere.ts';
import { Slots, type StopSignals } from './execute.ts';
import { type Forecast, forecastEval } from './forecast.ts';
import { type HandedOver, handOver } from './hand-over.ts';
import type { JoinOptions } from './joined-run.ts';
import type { RunObserver } from './observer.ts';
import { openPlaces, placesOf } from './open-places.ts';
import type { Places, SegmentPlace } from './places.ts';
import { refuseUnpriced } from './refuse-unpriced.ts';
import { emptyShard, type ItemOutcome, runSet } from './run-set.ts';
import { createSetBudget } from './set-budget.ts';
import { type EvalChanges, type EvalSource, type PlannedItem, planSetItems } from './set-items.ts';
import { type ArtifactSettings, GRACE_MS, type RunSettings, type RunTask } from './settings.ts';
import { SharedEval } from './shared-eval.ts';
import { ToldBudget } from './told-budget.ts';

export interface RunEvalsOptions {
  readonly evals: readonly EvalSource[];
  /** Each eval is run on each of them; empty: on the target that it names. */
  readonly models?: readonly string[] | undefined;
  readonly changes?: EvalChanges | undefined;
  /** A path, or the URL of a bucket. Default `logs`. */
  readonly logDir?: string | undefined;
  /** Another bucket to ship segments to. */
  readonly segments?: string | undefined;
  readonly workDir: string;
  /** Where keys of models are found, and what agents may be given. */
  readonly env: Env;
  /** How many samples run at a time, over the whole set. Default: what the evals ask for, else 20. */
  readonly concurrency?: number | undefined;
  /**
   * US dollars for the whole set, in the place of what its evals say. It counts what the runs cost over all attempts at them, also
   * those of earlier commands.
   */
  readonly budgetUsd?: number | undefined;
  /** Calls whose price is unknown are made although there is a budget; they do not count. */
  readonly allowUnpriced?: boolean | undefined;
  /** What models may be asked, over all runs of the set. */
  readonly limits?: CallLimits | undefined;
  /** They win over those that evals bring along, and those over the built-in ones. */
  readonly prices?: PriceTable | undefined;
  readonly baseUrl?: string | undefined;
  /** same: what has the same content key. any: also what another definition made. none: nothing. Default same. */
  readonly reuse?: ReuseMode | undefined;
  /** Finished logs that are kept elsewhere than in the log directory, and lend as those do: published runs. */
  readonly earlierLogs?: EarlierLogs | undefined;
  /** Outputs stand although the code of the target has changed since. */
  readonly keepOutputs?: boolean | undefined;
  /** How often the set is gone through until nothing is missing. Default 1. */
  readonly attempts?: number | undefined;
  readonly graceMs?: number | undefined;
  readonly segmentIntervalMs?: number | undefined;
  /** Only `forecast` is going to be asked for: whether anything can be written is not tried. */
  readonly isDryRun?: boolean | undefined;
  /** Runs whose process cannot be seen from here are taken for dead. */
  readonly forceDead?: boolean | undefined;
  /** The cache of artifacts. Default: `.holdfast/artifacts` below `workDir`. */
  readonly artifactsDir?: string | undefined;
  /** A bucket, or a folder that is one, that artifacts are taken from and sent to. A folder that is named must be there. */
  readonly artifactStore?: string | Bucket | undefined;
  /** Holdfast's own version, for the log. */
  readonly version: string;
  /** Which code is run, for the log, as far as it is known. */
  readonly revision?: LoggedCode | undefined;
  readonly disk?: Disk | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  readonly onNote?: ((text: string) => void) | undefined;
}

/** A set of runs that has been checked as far as possible without starting it. */
export interface PreparedSet {
  readonly items: readonly PlannedItem[];
  readonly places: Places;
  readonly concurrency: number;
  /** The gates of the models in use; more appear as models are first called. */
  readonly gates: ReadonlyMap<string, ModelGate>;
  /** Keeps `limits`. */
  readonly limiter: CallLimiter;
  run(watch?: RunWatch): Promise<readonly ItemOutcome[]>;
  /** Makes ready what the evals require, and runs nothing else. */
  buildArtifacts(wish: BuildWish, watch?: RunWatch): Promise<readonly ItemArtifacts[]>;
  /** Begins a run for others to work on. They have the artifacts of `store`. */
  handOver(item: PlannedItem, options: HandOverOptions): Promise<HandedOver>;
  /** Opens an eval as one of many processes that run samples of it. */
  share(item: PlannedItem, options: ShareOptions): Promise<SharedItem>;
  /** What `run` would do, and about what it would cost. Nothing is called, and nothing is written. */
  forecast(): Promise<readonly Forecast[]>;
}

export interface HandOverOptions {
  readonly place: SegmentPlace;
  readonly store: Bucket;
  /** Which code is handed over, for the log, as far as it is known. */
  readonly revision: LoggedCode | undefined;
  readonly observer?: RunObserver | undefined;
}

export interface ShareOptions extends JoinOptions {
  /** Told what is spent here: the process that has the run keeps its budget. */
  readonly onSpent: (costUsd: number | undefined) => void;
  readonly onNote: (text: string) => void;
  /** Kept by another process. */
  readonly limiter: CallLimiter;
}

export interface SharedItem {
  readonly shared: SharedEval;
  readonly budget: ToldBudget;
}

/** What one eval requires, and what became of it. */
export interface ItemArtifacts {
  readonly item: PlannedItem;
  readonly account?: ArtifactAccount;
  readonly error?: unknown;
}

export interface RunWatch {
  readonly signals?: StopSignals | undefined;
  readonly observerFor?: ((item: PlannedItem) => RunObserver | undefined) | undefined;
  readonly onNextAttempt?: ((attempt: number, waitMs: number) => void) | undefined;
  /** Other processes that run the samples. */
  readonly elsewhere?: Elsewhere | undefined;
}

const CONCURRENCY = 20;
const LOG_DIR = 'logs';

/** Plans the runs, opens their places and checks that they can be written. Nothing is created yet. */
export async function prepareSet(options: RunEvalsOptions): Promise<PreparedSet> {
  const { disk = nodeDisk, clock = systemClock, random = systemRandom } = options;
  const { models = [], changes = {} } = options;
  const { items: planned, notes } = planSetItems(options.evals, { models, changes });
  const items = planned.map((item) => ({ ...item, isBudgetShared: options.budgetUsd !== undefined }));
  const places = await placesFor(disk, options);
  for (const note of notes) options.onNote?.(note);
  const concurrency = options.concurrency ?? concurrencyOf(items);
  const gates = new Map<string, ModelGate>();
  const limiter = createCallLimiter(options.limits ?? {}, clock);
  const modelsFor = modelsOfSet(options, { concurrency, gates, clock, limiter });
  // Of the whole set before any of it is run.
  for (const item of items)
    refuseUnpriced(item.eval, modelsFor(item), billedTarget(item.eval.target, item.model));
  const ports = { disk, clock, random, places, slots: new Slots(concurrency) };
  const settings = { ...settingsOf(options), ...ports, artifacts: await artifactSettings(options, disk) };
  return {
    ...{ items, places, concurrency, gates, limiter },
    forecast: () => forecastItems(items, { settings, modelsFor, onNote: options.onNote }),
    buildArtifacts: (wish, watch) => buildForItems(items, { settings, modelsFor, wish, ...watch }),
    handOver: (item, { place, store, revision, observer }) => {
      const task = { ...item, models: modelsFor(item), observer };
      return handOver(task, { ...settings, revision, signals: neverStop() }, place, { store });
    },
    share: (item, share) => shareItem(item, share, { settings, modelsFor, options }),
    run: ({ signals = neverStop(), observerFor, onNextAttempt, elsewhere } = {}) =>
      runSet({
        items,
        settings: { ...settings, signals, elsewhere },
        modelsFor,
        observerFor: observerFor ?? (() => undefined),
        attempts: options.attempts ?? 1,
        onNextAttempt: onNextAttempt ?? (() => undefined),
      }),
  };
}

async function forecastItems(
  items: readonly PlannedItem[],
  { settings, modelsFor, onNote }: ForecastPorts,
): Promise<readonly Forecast[]> {
  const found: Forecast[] = [];
  for (const item of items) {
    const task = { ...item, models: modelsFor(item), observer: undefined };
    try {
      found.push(await forecastEval(task, { ...settings, signals: neverStop() }));
    } catch (error) {
      const empty = emptyShard(error);
      if (empty === undefined) throw error;
      onNote?.(`${item.eval.name}: ${empty}`);
    }
  }
  return found;
}

interface ForecastPorts {
  readonly settings: Omit<RunSettings, 'signals'>;
  readonly modelsFor: ModelsFor;
  readonly onNote: RunEvalsOptions['onNote'];
}

type ModelsFor = (
  item: PlannedItem,
  kept?: { readonly budget: Budget; readonly limiter: CallLimiter },
) => Models;

async function shareItem(
  item: PlannedItem,
  { onSpent, onNote, limiter, ...join }: ShareOptions,
  about: {
    readonly settings: Omit<RunSettings, 'signals'>;
    readonly modelsFor: ModelsFor;
    readonly options: RunEvalsOptions;
  },
): Promise<SharedItem> {
  const { settings, modelsFor, options } = about;
  const { limitUsd } = modelsFor(item).budget;
  const budget = new ToldBudget({ limitUsd, allowsUnpriced: options.allowUnpriced ?? false, onSpent });
  const task = { ...item, models: modelsFor(item, { budget, limiter }), observer: { onNote } };
  return { budget, shared: await SharedEval.open(task, { ...settings, signals: neverStop() }, join) };
}

/** One eval after the other: what several of them require is there for the second. */
async function buildForItems(
  items: readonly PlannedItem[],
  options: RunWatch & {
    readonly settings: Omit<RunSettings, 'signals'>;
    readonly modelsFor: (item: PlannedItem) => Models;
    readonly wish: BuildWish;
  },
): Promise<readonly ItemArtifacts[]> {
  const { modelsFor, observerFor, wish, signals = neverStop() } = options;
  const made: ItemArtifacts[] = [];
  for (const item of items) {
    const task = { ...item, models: modelsFor(item), observer: observerFor?.(item) };
    made.push({ item, ...(await tryBuild(task, { ...options.settings, signals }, wish)) });
  }
  return made;
}

/** One eval that cannot be prepared does not take the others with it; the caller shows the error. */
async function tryBuild(
  task: RunTask,
  settings: RunSettings,
  wish: BuildWish,
): Promise<Omit<ItemArtifacts, 'item'>> {
  try {
    return { account: await buildArtifacts(task, settings, wish) };
  } catch (error) {
    return { error };
  }
}

/** Runs evals and completes whatever earlier runs of them left: what `holdfast run` does, as a function. */
export async function runEvals(options: RunEvalsOptions, watch?: RunWatch): Promise<readonly ItemOutcome[]> {
  return (await prepareSet(options)).run(watch);
}

/** Whether anything can be written there is tried only by those who will write. */
function placesFor(
  disk: Disk,
  { logDir = LOG_DIR, workDir, segments, isDryRun = false }: RunEvalsOptions,
): Promise<Places> {
  return (isDryRun ? placesOf : openPlaces)(disk, { logDir, workDir, segments });
}

function settingsOf(
  options: RunEvalsOptions,
): Omit<RunSettings, 'signals' | 'disk' | 'clock' | 'random' | 'places' | 'slots' | 'artifacts'> {
  return {
    graceMs: options.graceMs ?? GRACE_MS,
    reuse: options.reuse ?? 'same',
    ownRuns: new Set(),
    earlierLogs: options.earlierLogs,
    keepOutputs: options.keepOutputs ?? false,
    segmentIntervalMs: options.segmentIntervalMs,
    forceDead: options.forceDead ?? false,
    version: options.version,
    revision: options.revision,
  };
}

async function artifactSettings(
  { artifactsDir, artifactStore, workDir }: RunEvalsOptions,
  disk: Disk,
): Promise<ArtifactSettings> {
  const dir = resolve(workDir, artifactsDir ?? join(STATE_FOLDER, 'artifacts'));
  const hostPaths = [resolve(workDir), homedir()];
  if (artifactStore === undefined) return { dir, hostPaths };
  if (typeof artifactStore !== 'string') return { dir, hostPaths, store: artifactStore };
  const place = isBucketUrl(artifactStore) ? artifactStore : resolve(workDir, artifactStore);
  return { dir, hostPaths, store: await openStore(place, { disk }) };
}

function concurrencyOf(items: readonly PlannedItem[]): number {
  const asked = items.flatMap((item) => item.eval.concurrency ?? []);
  return asked.length > 0 ? Math.max(...asked) : CONCURRENCY;
}

/** Every item has its own models and its own purse; gates and the set's purse are shared. */
function modelsOfSet(
  options: RunEvalsOptions,
  shared: {
    readonly concurrency: number;
    readonly gates: Map<string, ModelGate>;
    readonly clock: Clock;
    readonly limiter: CallLimiter;
  },
): ModelsFor {
  const budgets = createSetBudget({
    limitUsd: options.budgetUsd,
    allowUnpriced: options.allowUnpriced ?? false,
  });
  const unpriced = new Set<string>();
  const onUnknownPrice = (model: string) => {
    if (unpriced.has(model)) return;
    unpriced.add(model);
    options.onNote?.(
      `The price of ${model} is not known, so its cost is not counted. Give it as \`prices\` in the eval or with --prices, in US dollars ${/^(?:http|record|command)\//.test(model) ? 'for each call: { call: 0.01 }' : 'per million tokens'}.`,
    );
  };
  return (item, kept) =>
    createModels({
      ...shared,
      env: options.env,
      budget: budgets.forEval(item, item.eval.budgetUsd),
      ...kept,
      onUnknownPrice,
      projectDir: item.baseDir,
      redact: item.eval.redact,
      prices: { ...item.prices, ...options.prices },
      ...definedOf({ baseUrl: options.baseUrl }),
      ...(item.definition.models
        ? { scripted: item.definition.models as Readonly<Record<string, LanguageModel>> }
        : {}),
    });
}

function neverStop(): StopSignals {
  return { drain: new AbortController().signal, abort: new AbortController().signal };
}
