/** The definition with every default filled in: what the runner plans with. */
import { definedOf, didYouMean, type JsonObject, toJson, UsageError } from '../base/index.ts';
import { type MetricSpec, readReducer, scorerKeys } from '../stats/index.ts';
import { type PlannedRequirements, planRequirements } from './artifacts/requirements.ts';
import { findProblems, invalidEval, type Problem } from './check-definition.ts';
import { isModelObject } from './definition-schema.ts';
import type {
  Awaitable,
  CommandTarget,
  DataSource,
  EvalDefinition,
  HttpTarget,
  MetricChoice,
  ModelObject,
  ModelTarget,
  SampleLimits,
  SampleRow,
  ScoreResult,
  Scorer,
  ScorerContext,
  ScorerFunction,
  TargetFunction,
} from './eval.ts';
import { redactPatterns } from './redact-pattern.ts';
import { scorer as customScorer, readScore } from './scorers/scorer.ts';

/** What is evaluated. `none`: the eval names no target, so the command line must name a model. */
export type PlannedTarget =
  | { readonly kind: 'function'; readonly run: TargetFunction<unknown, unknown, unknown> }
  | { readonly kind: 'model'; readonly spec: ModelTarget }
  | { readonly kind: 'modelObject'; readonly model: ModelObject }
  | { readonly kind: 'command'; readonly spec: CommandTarget }
  | { readonly kind: 'http'; readonly spec: HttpTarget }
  | { readonly kind: 'none' };

/** A scorer with the key under which its scores are stored: unique within the eval. */
export interface PlannedScorer {
  readonly key: string;
  readonly name: string;
  readonly options: JsonObject;
  readonly metrics: readonly MetricSpec[];
  readonly source?: string;
  /** Always gives a checked score or throws. */
  score(context: ScorerContext): Awaitable<ScoreResult>;
  /** Throws for a row that it cannot score. */
  check(sample: SampleRow): void;
}

export interface PlannedEval {
  readonly name: string;
  readonly version: string | number;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
  readonly data: DataSource<unknown, unknown>;
  readonly filter?: EvalDefinition['filter'];
  /** The seed, when rows are shuffled. */
  readonly shuffle?: number;
  readonly limit?: number;
  readonly target: PlannedTarget;
  /** Files and folders that its code reads itself. */
  readonly inputs: readonly string[];
  /** Artifacts that its samples need. */
  readonly requires?: PlannedRequirements;
  readonly scorers: readonly PlannedScorer[];
  /** They take the place of the scorers' own. */
  readonly metrics?: readonly MetricSpec[];
  /** `reducers` absent: mean, which the log does not name. */
  readonly epochs: { readonly count: number; readonly reducers?: readonly string[] };
  readonly limits: SampleLimits;
  readonly budgetUsd?: number;
  readonly scorerTimeMs: number;
  readonly concurrency?: number;
  /** Each of its samples has a process of its own. */
  readonly isIsolated: boolean;
  readonly retries: number;
  readonly failOnError: boolean | number;
  readonly threshold: Readonly<Record<string, number>>;
  /** True when it has models of its own, which may hide behind any name. */
  readonly bringsModels: boolean;
  /** What must never be kept. */
  readonly redact: readonly RegExp[];
}

/** Checks a definition (E_EVAL_INVALID names the first problem) and fills in all that it leaves open. */
export function normalizeEval(definition: EvalDefinition): PlannedEval {
  const reading = readDefinition(definition);
  if ('problems' in reading) throw invalidEval(definition, reading.problems);
  return reading.planned;
}

export type DefinitionReading =
  | { readonly definition: EvalDefinition; readonly planned: PlannedEval }
  | { readonly problems: readonly Problem[] };

/** Reads anything as a definition: word by word, and then whether the words fit together. */
export function readDefinition(value: unknown): DefinitionReading {
  const problems = findProblems(value);
  if (!isDefinition(value, problems)) return { problems };
  const planned = fillIn(value);
  const conflict = findConflict(planned);
  return conflict === undefined ? { definition: value, planned } : { problems: [conflict] };
}

/** What has no problems is a definition: the schema looks at every word of it. */
function isDefinition(_value: unknown, problems: readonly Problem[]): _value is EvalDefinition {
  return problems.length === 0;
}

/** The target that a definition's `target` names; a text is the name of a model. */
export function planTarget(target: EvalDefinition['target']): PlannedTarget {
  if (target === undefined) return { kind: 'none' };
  if (typeof target === 'string') return { kind: 'model', spec: { model: target } };
  if (typeof target === 'function') return { kind: 'function', run: target };
  if (isModelObject(target)) return { kind: 'modelObject', model: target };
  if ('model' in target) return { kind: 'model', spec: target };
  if ('url' in target) return { kind: 'http', spec: target };
  return { kind: 'command', spec: target };
}

/**
 * The eval with the model that is named on the command line: it takes the place of the one in the definition. An eval that
 * names none stays as it is, and so does its digest: the model is then its target when it is resolved.
 */
export function withModel(planned: PlannedEval, model: string): PlannedEval {
  const { target } = planned;
  if (target.kind !== 'model') return planned;
  return { ...planned, target: { kind: 'model', spec: { ...target.spec, model } } };
}

/** The planned scorers as the log's header lists them and `computeResults` takes them. */
export function scorerSpecs(planned: PlannedEval) {
  return planned.scorers.map(({ name, options, metrics }) => ({ name, options, metrics: toJson(metrics) }));
}

function fillIn(definition: EvalDefinition): PlannedEval {
  const { description, filter, shuffle, limit, metrics, budgetUsd, concurrency } = definition;
  const seed = seedOf(shuffle);
  return {
    name: definition.name,
    version: definition.version ?? 0,
    ...(description !== undefined && { description }),
    tags: definition.tags ?? [],
    metadata: definition.metadata ?? {},
    data: definition.data,
    ...definedOf({ filter, shuffle: seed, limit }),
    target: planTarget(definition.target),
    inputs: definition.inputs ?? [],
    ...definedOf({ requires: planRequirements(definition.requires) }),
    scorers: planScorers(definition.scorers),
    ...(metrics !== undefined && { metrics: metrics.map(metricSpec) }),
    epochs: planEpochs(definition.epochs),
    limits: definition.limits ?? {},
    ...(budgetUsd !== undefined && { budgetUsd }),
    scorerTimeMs: definition.scorerTimeMs ?? SCORER_TIME_MS,
    ...(concurrency !== undefined && { concurrency }),
    isIsolated: definition.isolate ?? false,
    retries: definition.retries ?? 0,
    failOnError: definition.failOnError ?? false,
    threshold: definition.threshold ?? {},
    bringsModels: definition.models !== undefined,
    redact: redactPatterns(definition.redact ?? []),
  };
}

/** Longer than any grader that works: a scorer that hangs must not hold the run for ever. */
const SCORER_TIME_MS = 10 * 60_000;
const DEFAULT_METRICS: readonly MetricChoice[] = ['accuracy', 'stderr'];

function planScorers(scorers: EvalDefinition['scorers']): PlannedScorer[] {
  const named = scorers.map(asScorer);
  const keys = scorerKeys(named.map(({ name }) => name));
  return named.map((scorer, index) => {
    const { name, options, metrics = DEFAULT_METRICS, source } = scorer;
    return {
      key: keys[index] ?? name,
      name,
      options,
      metrics: metrics.map(metricSpec),
      ...(source !== undefined && { source }),
      score: async (context) => readScore(name, await scorer.score(context)),
      check: (sample) => scorer.check?.(sample),
    };
  });
}

function asScorer(item: Scorer | ScorerFunction): Scorer {
  if (typeof item !== 'function') return item;
  return customScorer(item.name === '' ? 'scorer' : item.name, item);
}

function metricSpec(choice: MetricChoice): MetricSpec {
  return typeof choice === 'string'
    ? { name: choice, options: {} }
    : { name: choice.name, options: choice.options ?? {} };
}

function planEpochs(epochs: EvalDefinition['epochs']): PlannedEval['epochs'] {
  if (epochs === undefined) return { count: 1 };
  if (typeof epochs === 'number') return { count: epochs };
  if (epochs.reducer === undefined) return { count: epochs.count };
  return {
    count: epochs.count,
    reducers: typeof epochs.reducer === 'string' ? [epochs.reducer] : epochs.reducer,
  };
}

function seedOf(shuffle: EvalDefinition['shuffle']): number | undefined {
  if (shuffle === undefined || shuffle === false) return undefined;
  return shuffle === true ? 0 : shuffle;
}

/** What is fine word by word, but does not fit together. */
function findConflict(planned: PlannedEval): Problem | undefined {
  const { count, reducers = [] } = planned.epochs;
  const tooFew = reducers.find((name) => (readReducer(name)?.epochsMin ?? 1) > count);
  if (tooFew !== undefined) {
    const needed = readReducer(tooFew)?.epochsMin;
    return {
      path: ['epochs', 'reducer'],
      message: `is ${tooFew}, which needs at least ${needed} epochs, not ${count}`,
    };
  }
  const repeated = reducers.find((name, index) => reducers.indexOf(name) !== index);
  if (repeated !== undefined) return { path: ['epochs', 'reducer'], message: `names ${repeated} twice` };
  return thresholdConflict(planned);
}

function thresholdConflict(planned: PlannedEval): Problem | undefined {
  const known = planned.scorers.flatMap(({ key, metrics }) => {
    const names = (planned.metrics ?? metrics).map(({ name }) => name);
    return [...names, ...names.map((name) => `${key}/${name}`)];
  });
  // Metrics with several numbers are named by their data (groups), so those cannot be checked before the run.
  const hasOpenNames = known.some((name) => /(?:^|\/)(?:grouped|ci|ci_wilson)$/.test(name));
  for (const name of Object.keys(planned.threshold)) {
    // A scorer of the user's own may give a record, and its keys are not known before it runs.
    const isOfKey = name.includes('/') && known.includes(name.slice(name.indexOf('/') + 1));
    const mayBeKey = isOfKey && planned.scorers.some(({ source }) => source !== undefined);
    if (known.includes(name) || hasOpenNames || mayBeKey) continue;
    const next = didYouMean(name, known) || `; there are ${[...new Set(known)].join(', ')}`;
    return {
      path: ['threshold'],
      message: `names a metric that this eval does not compute, "${name}"${next}`,
    };
  }
  return undefined;
}

/** Turns what a module or a file gave into a definition, or says why it is none. `place` names the file. */
export function asDefinition(value: unknown, place: string): EvalDefinition {
  const reading = readDefinition(value);
  if ('definition' in reading) return reading.definition;
  const error = invalidEval(value, reading.problems);
  throw new UsageError({ code: error.code, message: `${place}: ${error.message}`, hint: error.hint });
}
