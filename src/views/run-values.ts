import type { MetricScore, RunItem } from '../server/api.ts';

/** The first score of a run, or the one that is named by its score, its metric, its scorer, or `name.metric`. */
export function scoreNamed({ facts }: RunItem, name: string | undefined): MetricScore | undefined {
  if (!facts) return undefined;
  if (name === undefined) return facts.scores[0];
  return facts.scores.find((score) => isNamed(score, name));
}

/** Without regard to case. Two names together are rare: they are put together only where they can be meant. */
function isNamed({ scorer, name, metric }: MetricScore, wanted: string): boolean {
  if (isEqual(metric, wanted) || isEqual(name, wanted) || isEqual(scorer, wanted)) return true;
  if (!/[./]/.test(wanted)) return false;
  return [`${name}.${metric}`, `${scorer}.${metric}`, `${scorer}/${metric}`].some((one) =>
    isEqual(one, wanted),
  );
}

function isEqual(one: string, other: string): boolean {
  return one === other || (one.length === other.length && one.toLowerCase() === other.toLowerCase());
}
