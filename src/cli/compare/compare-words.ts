import { type Json, jsonText } from '../../base/index.ts';
import {
  type ComparedRun,
  type FigureComparison,
  type Flip,
  figureText,
  probabilityText,
  signedText,
} from '../../compare/index.ts';
import { counted } from '../quantities.ts';
import { oneLine, shorten } from '../table.ts';

/** Words and numbers that the report for people and the one for pull requests share. */

const SAMPLE_CHARS_MAX = 40;
const VALUE_CHARS_MAX = 24;

export function verdictWords({ verdict }: Pick<ComparedRun, 'verdict'>, letter: string): string {
  if (verdict === 'cannot tell') return `Cannot tell whether ${letter} is better or worse than A`;
  return `${letter} is ${verdict} than A`;
}

export function intervalText(figure: Pick<FigureComparison, 'figure' | 'interval'>): string {
  const { interval } = figure;
  return interval ? `${signedText(figure, interval.lower)} to ${signedText(figure, interval.upper)}` : '–';
}

/** `exact 0.760 → 0.840, +0.080 (95 %: +0.029 to +0.131, p 0.003)` */
export function differenceWords(figure: FigureComparison): string {
  if (figure.samples === 0) return `${figure.figure} has no number on both sides`;
  const { figure: name, before, after, difference } = figure;
  const sides = `${figureText(figure, before)} → ${figureText(figure, after)}`;
  const around = figure.interval ? `95 %: ${intervalText(figure)}, ` : '';
  return `${name} ${sides}, ${signedText(figure, difference)} (${around}p ${probabilityText(figure)})`;
}

/** Flips of one sample that are alike, together. */
export interface FlipLine {
  readonly sample: string;
  readonly from: string;
  readonly to: string;
  readonly isBetter: boolean;
}

export function flipLines(
  flips: readonly Flip[],
  { hasEpochs }: { readonly hasEpochs: boolean },
): FlipLine[] {
  const lines = new Map<string, { readonly flip: Flip; readonly epochs: number[] }>();
  for (const flip of flips) {
    const key = JSON.stringify([flip.id, jsonText(flip.from), jsonText(flip.to)]);
    const line = lines.get(key);
    if (line) line.epochs.push(flip.epoch);
    else lines.set(key, { flip, epochs: [flip.epoch] });
  }
  return [...lines.values()].map(({ flip, epochs }) => ({
    sample: `${sampleText(flip.id)}${hasEpochs ? ` (epoch ${epochs.join(', ')})` : ''}`,
    from: valueText(flip.from),
    to: valueText(flip.to),
    isBetter: flip.isBetter,
  }));
}

/** `14 passed and fail now, 6 failed and pass now` */
export function flipCounts({
  kind,
  figure,
  flips,
  pairs,
  betterWhen,
}: Pick<FigureComparison, 'kind' | 'figure' | 'flips' | 'pairs' | 'betterWhen'>): string {
  const better = flips.filter(({ isBetter }) => isBetter).length;
  const worse = flips.length - better;
  if (figure === 'completed') return `${worse} fail now, ${better} complete now`;
  if (kind === 'number') return `the ${flips.length} that moved most, of ${counted(pairs, 'pair')}`;
  const [lost, gained] = betterWhen === 'higher' ? [worse, better] : [better, worse];
  return `${lost} passed and fail now, ${gained} failed and pass now`;
}

export function sampleText(id: string | number): string {
  return shorten(oneLine(String(id)), SAMPLE_CHARS_MAX);
}

function valueText(value: Json): string {
  return shorten(oneLine(typeof value === 'number' ? trimmed(value) : jsonText(value)), VALUE_CHARS_MAX);
}

function trimmed(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

/** How many of a list are shown; the rest is counted, with how to see it. */
export interface Shown {
  readonly limit: number;
  readonly howToSeeAll: string;
}

/**
 * Samples that only one run has, and epochs that only one run has of samples that both have: those with the same epochs together. Epochs are
 * named as soon as there are several.
 */
export function oneSidedWords(
  keys: readonly { readonly id: string | number; readonly epoch: number }[],
  { limit, howToSeeAll }: Shown,
): string {
  const epochsOf = Map.groupBy(keys, ({ id }) => id);
  const groups = Map.groupBy([...epochsOf].slice(0, limit), ([, epochs]) => epochsText(epochs));
  const hasEpochs = keys.some(({ epoch }) => epoch > 1);
  const named = [...groups].map(
    ([which, ids]) =>
      `${ids.map(([id]) => sampleText(id)).join(', ')}${hasEpochs ? ` (epoch ${which})` : ''}`,
  );
  const left = epochsOf.size - limit;
  return `${counted(keys.length, 'sample')}: ${named.join('; ')}${left > 0 ? ` and ${left} more (${howToSeeAll})` : ''}`;
}

function epochsText(keys: readonly { readonly epoch: number }[]): string {
  return keys
    .map(({ epoch }) => epoch)
    .sort((a, b) => a - b)
    .join(', ');
}
