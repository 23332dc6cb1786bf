import type { PlannedEval } from '../evals/index.ts';
import { type Models, PriceUnknown } from '../targets/index.ts';

/**
 * With a budget, every model that is named must have a price, before anything is bought [BUD-5]. What code calls by other names is
 * refused when it calls.
 */
export function refuseUnpriced(
  planned: PlannedEval,
  models: Models,
  /** The model under test, where there is one with a name. */
  target: string | undefined,
): void {
  if (!models.budget.needsPrices) return;
  const names = [target, ...planned.scorers.map(({ options }) => options.model)].filter(
    (name) => typeof name === 'string',
  );
  const unpriced = [...new Set(names)].filter((name) => models.prices.priceOf(name) === undefined);
  if (unpriced.length > 0) throw new PriceUnknown(unpriced);
}

/** What is known of the model under test before its target is made ready. */
export function namedModel({ target }: PlannedEval, model: string | undefined): string | undefined {
  if (target.kind === 'model') return target.spec.model;
  return target.kind === 'function' || target.kind === 'none' ? model : undefined;
}
