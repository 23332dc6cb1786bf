import { holmAdjusted } from '../stats/index.ts';
import {
  type Compared,
  compareFigure,
  type FigureComparison,
  type FoundFigure,
  judged,
} from './compare-figure.ts';
import { byScorer, isFigureOf } from './figures.ts';

export interface ScoreOptions {
  /** Only these scorers; all by default. */
  readonly scorers?: readonly string[];
  /** Scorers of which a lower score is better. */
  readonly lower?: readonly string[];
  /** Scorers in the order in which they are told. */
  readonly order: readonly string[];
}

export interface JudgedScores {
  readonly scores: readonly FigureComparison[];
  /** Whether samples ended without an error; absent when none had one. */
  readonly completed?: FigureComparison;
}

/** All scores that either side has, judged together with whether samples completed. */
export function judgeScores(compared: Compared, options: ScoreOptions): JudgedScores {
  const completion = completionOf(compared);
  const figures = judgedTogether([...scoresOf(compared, options), ...(completion ? [completion] : [])]);
  const completed = completion && figures.at(-1);
  return completed ? { scores: figures.slice(0, -1), completed } : { scores: figures };
}

function scoresOf(compared: Compared, { scorers, lower = [], order }: ScoreOptions): FoundFigure[] {
  const names = new Set<string>();
  for (const { before, after } of compared.both)
    for (const { figures } of [before, after]) for (const figure of figures.keys()) names.add(figure);
  return [...names]
    .filter((figure) => scorers === undefined || scorers.some((name) => isFigureOf(figure, name)))
    .sort(byScorer(order))
    .map((figure) =>
      compareFigure(compared, {
        figure,
        betterWhen: lower.some((name) => isFigureOf(figure, name)) ? 'lower' : 'higher',
        valueOf: (sample) => sample.figures.get(figure),
      }),
    );
}

/**
 * An error is neither a bad score nor nothing: such a sample is left out of the scores, and whether samples complete is a figure of
 * its own, so that a run that fails where the other did not cannot look as good.
 */
function completionOf(compared: Compared): FoundFigure | undefined {
  if (!compared.both.some(({ before, after }) => before.state === 'errored' || after.state === 'errored'))
    return undefined;
  return compareFigure(compared, {
    figure: 'completed',
    betterWhen: 'higher',
    isMeant: ({ state }) => state !== 'unfinished',
    valueOf: ({ state }) => state === 'completed',
  });
}

/** Of many figures one is sure to differ by chance: their probabilities are adjusted for how many have numbers on both sides. */
function judgedTogether(figures: readonly FoundFigure[]): readonly FigureComparison[] {
  const tested = figures.filter(({ samples }) => samples > 0);
  const adjusted = tested.length < 2 ? [] : holmAdjusted(tested.map(({ p }) => p));
  return figures.map((figure) => {
    const pAdjusted = adjusted[tested.indexOf(figure)];
    return judged(figure, pAdjusted === undefined ? undefined : { pAdjusted, count: tested.length });
  });
}

/** Cost, tokens and time of a sample. Figures that nobody spent anything of are left out. */
export function judgeSpent(compared: Compared): FigureComparison[] {
  const lower = { betterWhen: 'lower' } as const;
  return [
    compareFigure(compared, { ...lower, figure: 'cost', valueOf: ({ usd }) => usd }),
    compareFigure(compared, { ...lower, figure: 'tokens', valueOf: ({ tokens }) => tokens }),
    compareFigure(compared, { ...lower, figure: 'time', valueOf: ({ seconds }) => seconds }),
  ]
    .filter(({ before, after }) => before > 0 || after > 0)
    .map((figure) => judged(figure));
}
