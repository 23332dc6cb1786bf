import { UsageError } from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import type { Shard } from '../datasets/index.ts';
import {
  type EvalDefinition,
  idFilter,
  normalizeEval,
  type PlannedEval,
  type PlannedTarget,
  type SampleLimits,
  withModel,
} from '../evals/index.ts';
import type { PriceTable } from '../targets/index.ts';
import type { RunTask } from './settings.ts';

/** An eval, and where it comes from. */
export interface EvalSource {
  readonly definition: EvalDefinition;
  /** Its file, as the log shall name it. */
  readonly file?: string;
  /** Where relative paths in it start. */
  readonly baseDir: string;
  /** Its code, when it comes from a module: without it a function counts by its own text alone. */
  readonly code?: EvalCode | undefined;
  /** Prices of the project; those of the eval itself win over them. */
  readonly prices?: PriceTable | undefined;
}

/** What the command line changes in every eval of a set. */
export interface EvalChanges {
  readonly limit?: number;
  readonly epochs?: number;
  readonly shuffle?: number;
  /** Only the samples with these ids. */
  readonly ids?: readonly string[];
  /** Only a slice of the rows. */
  readonly shard?: Shard;
  readonly retries?: number;
  readonly failOnError?: boolean | number;
  readonly isolate?: boolean;
  readonly limits?: SampleLimits;
  /** Redacted besides what the eval itself wants redacted. */
  readonly redact?: readonly string[];
}

/** One eval on one target, planned: its definition was normalised once, here. */
export interface PlannedItem extends Omit<RunTask, 'models' | 'observer'> {
  readonly definition: EvalDefinition;
  /** Of the project and of the eval. */
  readonly prices: PriceTable;
}

/** Each eval on each model is an item of its own. Pure; throws for what cannot be a set. */
export function planSetItems(
  evals: readonly EvalSource[],
  options: { readonly models: readonly string[]; readonly changes: EvalChanges },
): { readonly items: readonly PlannedItem[]; readonly notes: readonly string[] } {
  refuseEqualNames(evals);
  const items: PlannedItem[] = [];
  const notes: string[] = [];
  for (const source of evals) {
    const { shard } = options.changes;
    const changed = { ...source, shard, definition: applyChanges(source.definition, options.changes) };
    const planned = normalizeEval(changed.definition);
    if (options.models.length > 0 && !TAKES_MODEL.has(planned.target.kind)) {
      notes.push(`${planned.name}: --model changes nothing, because its target is no model.`);
      items.push(itemOf(changed, planned));
    } else if (options.models.length === 0) items.push(itemOf(changed, planned));
    else for (const model of new Set(options.models)) items.push(itemOf(changed, planned, model));
  }
  return { items, notes };
}

function refuseEqualNames(evals: readonly EvalSource[]): void {
  const files = new Map<string, string>();
  for (const { definition, file = 'this program' } of evals) {
    const other = files.get(definition.name);
    if (other !== undefined) {
      throw new UsageError({
        code: 'E_EVAL_NAME_TWICE',
        message: `Two evals are called "${definition.name}": one in ${other}, one in ${file}.`,
        hint: 'Give each its own name, or run them one at a time.',
      });
    }
    files.set(definition.name, file);
  }
}

/** A command-line agent and an HTTP endpoint have their models inside. */
const TAKES_MODEL: ReadonlySet<PlannedTarget['kind']> = new Set(['none', 'model', 'function']);

function itemOf(
  { definition, file, baseDir, code, prices, shard }: EvalSource & { readonly shard: Shard | undefined },
  planned: PlannedEval,
  model?: string,
): PlannedItem {
  return {
    definition,
    eval: model === undefined ? planned : withModel(planned, model),
    model,
    file,
    baseDir,
    shard,
    code,
    prices: { ...prices, ...definition.prices },
  };
}

function applyChanges(definition: EvalDefinition, changes: EvalChanges): EvalDefinition {
  const { ids, epochs, limits, redact, shard: _shard, ...plain } = changes;
  return {
    ...definition,
    ...plain,
    ...(ids === undefined ? {} : { filter: idFilter(ids, definition.filter) }),
    ...(epochs === undefined ? {} : { epochs: withCount(definition.epochs, epochs) }),
    ...(limits === undefined ? {} : { limits: { ...definition.limits, ...limits } }),
    ...(redact === undefined ? {} : { redact: [...(definition.redact ?? []), ...redact] }),
  };
}

function withCount(epochs: EvalDefinition['epochs'], count: number): NonNullable<EvalDefinition['epochs']> {
  return typeof epochs === 'object' ? { ...epochs, count } : count;
}
