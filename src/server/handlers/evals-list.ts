import type { EvalsPage, RunItem } from '../api.ts';
import type { Call } from '../call.ts';
import { withTrends } from '../trends.ts';

/** All evals, that which was run last first. */
export async function evals(call: Call<'evals'>): Promise<EvalsPage> {
  const { index } = call.studio;
  await index.begun(call.signal);
  call.sameAs(index.version);
  const all = index.items();
  const found = new Map<string, { last: RunItem; runs: number; targets: Set<string> }>();
  for (const item of all) {
    if (!item.facts || item.removed) continue;
    const { eval: name, target } = item.facts;
    const known = found.get(name);
    if (!known) found.set(name, { last: item, runs: 1, targets: new Set([target]) });
    else {
      known.runs++;
      known.targets.add(target);
    }
  }
  return {
    evals: [...found].map(([name, { last: newest, runs, targets }]) => {
      const [last = newest] = withTrends([newest], all);
      return { eval: name, runs, targets: [...targets].sort(), last, trend: last.trend ?? [] };
    }),
    isWhole: index.isWhole,
  };
}
