import type { RunCost } from '../../../../src/server/api.ts';

/** One bar: from where to where on the axis of money. */
export interface CostStep {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly tone: 'plain' | 'saved' | 'wasted' | 'total';
  readonly about: string;
}

/** What would have been paid, less what was saved, is what was spent; of that, what gave no result was wasted. What nobody knows has no bar. */
export function costSteps({ usd, savedUsd, wastedUsd }: RunCost): readonly CostStep[] {
  if (usd === null) return [];
  const saved = savedUsd ?? 0;
  const wasted = wastedUsd ?? 0;
  const steps: CostStep[] = [];
  if (saved > 0)
    steps.push(
      {
        name: 'without reuse',
        from: 0,
        to: usd + saved,
        tone: 'plain',
        about: 'Had everything been bought anew',
      },
      {
        name: 'saved',
        from: usd,
        to: usd + saved,
        tone: 'saved',
        about: 'Replayed or kept from earlier runs',
      },
    );
  steps.push({ name: 'spent', from: 0, to: usd, tone: 'total', about: 'What was paid' });
  if (wasted > 0)
    steps.push(
      { name: 'wasted', from: usd - wasted, to: usd, tone: 'wasted', about: 'Attempts that gave no result' },
      { name: 'for results', from: 0, to: usd - wasted, tone: 'plain', about: 'What the results cost' },
    );
  return steps;
}
