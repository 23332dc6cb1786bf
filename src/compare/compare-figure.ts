import { definedOf, type Json, type SampleKey } from '../base/index.ts';
import { type Pair, type PairedDifference, pairedDifference, type SamplePairs } from '../stats/index.ts';
import type { AlignedEpochs, AlignedSample, Alignment } from './align.ts';
import { numberOf } from './figures.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { toDecideFor, toShow, type WouldDecide } from './would-decide.ts';

/** A figure on two sides. */
export interface FigureComparison extends Omit<PairedDifference, 'table' | 'spread'> {
  readonly figure: string;
  /** `pass/fail` when every value is 0 or 1. */
  readonly kind: 'pass/fail' | 'number';
  readonly betterWhen: 'higher' | 'lower';
  /** Holm's, over the scores that were judged together; absent when it was judged alone. */
  readonly pAdjusted?: number;
  readonly verdict: Verdict;
  /** Samples that both sides have and that could not be compared: one side failed, or has no number. */
  readonly leftOut: { readonly errored: number; readonly unscored: number };
  /** Those that passed and fail now first; of figures that are no pass or fail, those that moved most. */
  readonly flips: readonly Flip[];
  /** Present when it cannot tell. */
  readonly wouldDecide?: WouldDecide;
}

/** The same before it is judged. */
export type FoundFigure = Omit<FigureComparison, 'verdict' | 'pAdjusted' | 'wouldDecide'> & {
  readonly wouldDecide: WouldDecide;
};

/** A sample whose result is another now. */
export interface Flip extends SampleKey {
  readonly from: Json;
  readonly to: Json;
  readonly isBetter: boolean;
}

export interface FigureInput {
  readonly figure: string;
  readonly betterWhen: 'higher' | 'lower';
  /** What is compared of a sample; undefined when it has none. */
  readonly valueOf: (sample: AlignedSample['before']) => Json | undefined;
  /** Which samples could have it: by default those that completed. */
  readonly isMeant?: (sample: AlignedSample['before']) => boolean;
}

/** What both sides have. */
export type Compared = Pick<Alignment, 'both' | 'samples'>;

/** A figure that is no pass or fail moves in nearly every sample: only so many of the largest moves are told. */
const MOVES_MAX = 20;

export function compareFigure({ both, samples }: Compared, input: FigureInput): FoundFigure {
  const { figure, betterWhen } = input;
  const pairing = new Pairing(input);
  const pairs = samples.map((epochs) => pairing.pairsOf(epochs));
  const { table: _, spread, ...found } = pairedDifference(pairs);
  const { leftOut, isPassFail } = pairing;
  return {
    figure,
    kind: isPassFail ? 'pass/fail' : 'number',
    betterWhen,
    ...found,
    leftOut,
    flips: flipsOf(pairing.changed, isPassFail),
    wouldDecide: toDecideFor({ ...found, spread, isPassFail }, both),
  };
}

type SizedFlip = Flip & { readonly size: number };

/** Makes numbers of samples, and notes on the way what flipped and what could not be compared. */
class Pairing {
  readonly leftOut = { errored: 0, unscored: 0 };
  readonly changed: SizedFlip[] = [];
  isPassFail = true;
  readonly #input: FigureInput;

  constructor(input: FigureInput) {
    this.#input = input;
  }

  pairsOf(epochs: AlignedEpochs): SamplePairs {
    const pairs: Pair[] = [];
    for (const one of epochs) {
      const pair = this.#pairOf(one);
      if (pair) pairs.push(pair);
    }
    return pairs;
  }

  #pairOf(one: AlignedSample): Pair | undefined {
    const { valueOf, betterWhen, isMeant = isCompleted } = this.#input;
    if (!isMeant(one.before) || !isMeant(one.after)) {
      this.leftOut.errored++;
      return undefined;
    }
    const from = valueOf(one.before) ?? null;
    const to = valueOf(one.after) ?? null;
    const before = numberOf(from);
    const after = numberOf(to);
    if (before === undefined || after === undefined) {
      this.leftOut.unscored++;
      return undefined;
    }
    this.isPassFail &&= isPassOrFail(before) && isPassOrFail(after);
    if (before !== after) {
      const isBetter = after > before === (betterWhen === 'higher');
      const { id, epoch } = one;
      this.changed.push({ id, epoch, from, to, isBetter, size: Math.abs(after - before) });
    }
    return [before, after];
  }
}

/** How a figure is judged with others. */
export interface Together {
  readonly pAdjusted: number;
  readonly count: number;
}

/** The figure with its verdict: by the adjusted probability, where several are judged together. */
export function judged({ wouldDecide, ...figure }: FoundFigure, together?: Together): FigureComparison {
  const pAdjusted = together?.pAdjusted;
  const verdict = verdictOf({ ...figure, p: pAdjusted ?? figure.p });
  const isPassFail = figure.kind === 'pass/fail';
  const decides =
    wouldDecide.sameWay === undefined ? wouldDecide : toShow({ ...figure, isPassFail }, together?.count ?? 1);
  return {
    ...figure,
    verdict,
    ...definedOf({ pAdjusted, wouldDecide: verdict === 'cannot tell' ? decides : undefined }),
  };
}

function isCompleted({ state }: AlignedSample['before']): boolean {
  return state === 'completed';
}

function isPassOrFail(value: number): boolean {
  return value === 0 || value === 1;
}

/** Sorting is stable: those that are alike stay in the order of their samples. */
function flipsOf(changed: readonly SizedFlip[], isPassFail: boolean): Flip[] {
  const sorted = isPassFail
    ? changed.toSorted((a, b) => Number(a.isBetter) - Number(b.isBetter))
    : changed.toSorted((a, b) => b.size - a.size).slice(0, MOVES_MAX);
  return sorted.map(({ size: _, ...flip }) => flip);
}
