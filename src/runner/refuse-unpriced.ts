import type { PlannedEval } from '../evals/index.ts';
import { type BilledName, type Models, PriceUnknown } from '../targets/index.ts';

/**
 * With a budget, everything that is named and paid for must have a price, before anything is bought [BUD-5]. What code calls by
 * other names is refused when it calls.
 */
export function refuseUnpriced(
  planned: PlannedEval,
  models: Models,
  /** The target, or the model under test, where it has a name. */
  target: BilledName | undefined,
): void {
  const { budget, prices } = models;
  if (!budget.needsPrices) return;
  const graders = planned.scorers
    .map(({ options }) => options.model)
    .filter((name) => typeof name === 'string')
    .map((name) => ({ name, tellsTokens: true }));
  const unpriced = [...(target ? [target] : []), ...graders].filter(
    (billed) => !prices.isKnown(billed.name, billed),
  );
  if (unpriced.length > 0) throw new PriceUnknown([...new Set(unpriced.map(({ name }) => name))]);
}
