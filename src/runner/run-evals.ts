import { type Clock, systemClock } from '../base/index.ts';
import { type Disk, nodeDisk } from '../disk/index.ts';
import {
  createBudget,
  createModels,
  type Env,
  type LanguageModel,
  type ModelGate,
  type Models,
  type PriceTable,
} from '../targets/index.ts';
import { Slots, type StopSignals } from './execute.ts';
import type { ReuseMode } from './find-reusable.ts';
import type { RunObserver } from './observer.ts';
import { openPlaces } from './open-places.ts';
import type { Places } from './places.ts';
import { bothBudgets, type ItemOutcome, runSet } from './run-set.ts';
import { type EvalChanges, type EvalSource, type PlannedItem, planSetItems } from './set-items.ts';

export interface RunEvalsOptions {
  readonly evals: readonly EvalSource[];
  /** Each eval is run on each of them; empty: on the target that it names. */
  readonly models?: readonly string[];
  readonly changes?: EvalChanges;
  /** A path, or the URL of a bucket. Default `logs`. */
  readonly logDir?: string;
  /** Another bucket to ship segments to. */
  readonly segments?: string;
  readonly workDir: string;
  /** Where keys of models are found, and what agents may be given. */
  readonly env: Env;
  /** How many samples run at a time, over the whole set. Default: what the evals ask for, else 20. */
  readonly concurrency?: number;
  /** US dollars for the whole set. */
  readonly budgetUsd?: number;
  readonly prices?: PriceTable;
  readonly baseUrl?: string;
  /** same: what has the same content key. any: also what another definition made. none: nothing. Default same. */
  readonly reuse?: ReuseMode;
  /** How often the set is gone through until nothing is missing. Default 1. */
  readonly attempts?: number;
  readonly graceMs?: number;
  readonly segmentIntervalMs?: number;
  /** Runs whose process cannot be seen from here are taken for dead. */
  readonly forceDead?: boolean;
  /** Holdfast's own version, for the log. */
  readonly version: string;
  readonly disk?: Disk;
  readonly clock?: Clock;
  readonly onNote?: (text: string) => void;
}

/** A set of runs that has been checked as far as possible without starting it. */
export interface PreparedSet {
  readonly items: readonly PlannedItem[];
  readonly places: Places;
  readonly concurrency: number;
  /** The gates of the models in use; more appear as models are first called. */
  readonly gates: ReadonlyMap<string, ModelGate>;
  run(watch?: RunWatch): Promise<readonly ItemOutcome[]>;
}

export interface RunWatch {
  readonly signals?: StopSignals;
  readonly observerFor?: (item: PlannedItem) => RunObserver | undefined;
  readonly onNextAttempt?: (attempt: number, waitMs: number) => void;
}

const CONCURRENCY = 20;
const LOG_DIR = 'logs';

/** Plans the runs, opens their places and checks that they can be written. Nothing is created yet. */
export async function prepareSet(options: RunEvalsOptions): Promise<PreparedSet> {
  const { disk = nodeDisk, clock = systemClock } = options;
  const { items, notes } = planSetItems(options.evals, {
    models: options.models ?? [],
    changes: options.changes ?? {},
  });
  const places = await openPlaces(disk, {
    logDir: options.logDir ?? LOG_DIR,
    workDir: options.workDir,
    ...(options.segments === undefined ? {} : { segments: options.segments }),
  });
  for (const note of notes) options.onNote?.(note);
  const concurrency = options.concurrency ?? concurrencyOf(items);
  const gates = new Map<string, ModelGate>();
  const modelsFor = modelsOfSet(options, { concurrency, gates, clock });
  return {
    items,
    places,
    concurrency,
    gates,
    run: async (watch = {}) => {
      const { observerFor, onNextAttempt } = watch;
      return runSet({
        items,
        modelsFor: (item) => modelsFor(item as PlannedItem),
        ...(observerFor ? { observerFor: (item) => observerFor(item as PlannedItem) } : {}),
        ...(onNextAttempt ? { onNextAttempt } : {}),
        places,
        disk,
        clock,
        slots: new Slots(concurrency),
        signals: watch.signals ?? neverStop(),
        reuse: options.reuse ?? 'same',
        version: options.version,
        ...(options.attempts === undefined ? {} : { attempts: options.attempts }),
        ...(options.forceDead ? { forceDead: true } : {}),
        ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
        ...(options.segmentIntervalMs === undefined ? {} : { segmentIntervalMs: options.segmentIntervalMs }),
      });
    },
  };
}

/** Runs evals and completes whatever earlier runs of them left: what `holdfast run` does, as a function. */
export async function runEvals(options: RunEvalsOptions, watch?: RunWatch): Promise<readonly ItemOutcome[]> {
  return (await prepareSet(options)).run(watch);
}

function concurrencyOf(items: readonly PlannedItem[]): number {
  const asked = items.flatMap((item) => item.eval.concurrency ?? []);
  return asked.length > 0 ? Math.max(...asked) : CONCURRENCY;
}

/** Every item has its own models and its own purse; gates and the set's purse are shared. */
function modelsOfSet(
  options: RunEvalsOptions,
  shared: { readonly concurrency: number; readonly gates: Map<string, ModelGate>; readonly clock: Clock },
): (item: PlannedItem) => Models {
  const purse = createBudget(options.budgetUsd);
  const unpriced = new Set<string>();
  const onUnknownPrice = (model: string) => {
    if (unpriced.has(model)) return;
    unpriced.add(model);
    options.onNote?.(
      `The price of ${model} is not known, so its cost is not counted. Give it with --prices, in US dollars per million tokens.`,
    );
  };
  return (item) =>
    createModels({
      ...shared,
      env: options.env,
      budget: bothBudgets(createBudget(item.eval.budgetUsd), purse),
      onUnknownPrice,
      projectDir: item.baseDir,
      redact: item.eval.redact,
      ...(options.prices ? { prices: options.prices } : {}),
      ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
      ...(item.definition.models
        ? { scripted: item.definition.models as Readonly<Record<string, LanguageModel>> }
        : {}),
    });
}

function neverStop(): StopSignals {
  return { drain: new AbortController().signal, abort: new AbortController().signal };
}
