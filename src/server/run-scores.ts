import { definedOf } from '../base/index.ts';
import type { LogHeader } from '../log/index.ts';
import type { RunItem, RunView } from './api.ts';
import type { SampleItems } from './sample-items.ts';

type RunScore = RunView['scores'][number];

/** Spread is told with the interval of a mean, where there is one. */
const UNLISTED: ReadonlySet<string> = new Set(['stderr', 'std', 'var', 'bootstrap_stderr']);

/** The scores of a run as its log has them, with intervals; of one that is not finished, the means so far. */
export function scoresOfRun(header: LogHeader, item: RunItem, all: SampleItems): RunScore[] {
  if (!header.results) return meansSoFar(all);
  return header.results.scores.flatMap(
    ({ name, scorer, reducer, metrics, scored_samples, unscored_samples }) =>
      Object.values(metrics)
        .filter((metric) => !UNLISTED.has(metric.name))
        .map((metric): RunScore => {
          const listed = item.facts?.scores.find(
            (one) => one.name === name && one.scorer === scorer && one.metric === metric.name,
          );
          return {
            scorer,
            name,
            metric: metric.name,
            value: metric.value,
            ...definedOf({
              low: listed?.low,
              high: listed?.high,
              reducer,
              scored: scored_samples,
              unscored: unscored_samples,
            }),
          };
        }),
  );
}

function meansSoFar({ items, scores }: SampleItems): RunScore[] {
  return scores.flatMap((name): RunScore[] => {
    const epochs = items.flatMap((item) => item.epochs);
    const numbers = epochs.flatMap((epoch) => epoch.scores[name]?.number ?? []);
    if (numbers.length === 0) return [];
    const value = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    return [{ scorer: name, name, metric: 'mean so far', value, scored: numbers.length }];
  });
}
