import type { RunView } from '../../../../src/server/api.ts';
import { formatPercent, formatUsd } from '../../ui/format.ts';

export interface CostPart {
  readonly key: 'results' | 'others' | 'wasted' | 'spent' | 'saved';
  readonly label: string;
  readonly about: string;
  /** Null where nobody knows. */
  readonly usd: number | null;
  /** Where its bar begins and ends, in dollars; undefined where there is none. */
  readonly bar: readonly [number, number] | undefined;
}

type Costed = Pick<RunView, 'cost' | 'model'>;

/** What the money went into, one after the other up to what was spent; what was saved goes the other way. */
export function costParts(view: Costed): readonly CostPart[] {
  const { usd, wastedUsd, savedUsd } = view.cost;
  const others = othersUsd(view);
  const wasted = wastedUsd === null || usd === null ? null : Math.min(wastedUsd, usd);
  const rest = usd === null ? null : Math.max(0, usd - (others ?? 0) - (wasted ?? 0));
  const steps = [
    {
      key: 'results',
      label: 'Answers that count',
      about:
        wasted === null
          ? 'With whatever was wasted: nobody knows how much'
          : 'Of the model that was evaluated',
      usd: rest,
    },
    ...(others === undefined
      ? []
      : [
          {
            key: 'others',
            label: 'Other models',
            about: 'Judges, and whoever else was asked',
            usd: others,
          } as const,
        ]),
    {
      key: 'wasted',
      label: 'Wasted',
      about: 'Paid for tries and attempts that gave no result',
      usd: wasted,
    },
  ] as const;
  let at = 0;
  const bars = steps.map((step): CostPart => {
    const from = at;
    at += step.usd ?? 0;
    return { ...step, bar: step.usd === null || step.usd === 0 ? undefined : [from, at] };
  });
  return [
    ...bars,
    {
      key: 'spent',
      label: 'Spent',
      about: 'All of it together',
      usd,
      bar: usd === null || usd === 0 ? undefined : [0, usd],
    },
    {
      key: 'saved',
      label: 'Saved',
      about: 'Would have been paid, had nothing been reused or replayed',
      usd: savedUsd,
      bar: savedUsd === null || savedUsd === 0 ? undefined : [-savedUsd, 0],
    },
  ];
}

/** Of models other than the one that was evaluated; undefined where there are none, null where one of them has no price. */
function othersUsd({ cost: { models }, model }: Costed): number | null | undefined {
  if (!models.some((one) => one.model === model)) return undefined;
  const others = models.filter((one) => one.model !== model);
  if (others.length === 0) return undefined;
  if (others.every(({ usd }) => usd === null)) return null;
  return others.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

/** The finding. */
export function costSaid({ usd, wastedUsd, savedUsd }: RunView['cost']): string {
  if (usd === null) return 'Nobody knows what it cost';
  const wasted =
    wastedUsd === null
      ? 'how much was wasted is not known'
      : wastedUsd === 0
        ? 'nothing was wasted'
        : `${formatUsd(wastedUsd)} (${formatPercent(usd === 0 ? undefined : wastedUsd / usd)}) was wasted`;
  const saved = savedUsd === null || savedUsd === 0 ? '' : `, and ${formatUsd(savedUsd)} saved`;
  return `${formatUsd(usd)} was spent; ${wasted}${saved}`;
}

/** The ends of the axis, in dollars. */
export function costDomain(parts: readonly CostPart[]): readonly [number, number] {
  const ends = parts.flatMap(({ bar }) => bar ?? []);
  return [Math.min(0, ...ends), Math.max(0, ...ends) || 1];
}
