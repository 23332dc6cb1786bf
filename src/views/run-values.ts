import type { MetricScore, RunItem } from '../server/api.ts';

/** The first score of a run, or the one that is named by its score, its metric, its scorer, or `name.metric`. */
export function scoreNamed({ facts }: RunItem, name: string | undefined): MetricScore | undefined {
  if (!facts) return undefined;
  if (name === undefined) return facts.scores[0];
  const wanted = name.toLowerCase();
  return facts.scores.find((score) => namesOf(score).some((one) => one.toLowerCase() === wanted));
}

function namesOf({ scorer, name, metric }: MetricScore): readonly string[] {
  return [metric, name, scorer, `${name}.${metric}`, `${scorer}.${metric}`, `${scorer}/${metric}`];
}
