import { type Json, jsonText } from '../../base/index.ts';
import type { ComparedRun, FigureComparison, Flip } from '../../compare/index.ts';
import { counted, formatCount, formatDuration, formatScore, formatUsd } from '../quantities.ts';
import { oneLine, shorten } from '../table.ts';

/** Words and numbers that the report for people and the one for pull requests share. */

const SAMPLE_CHARS_MAX = 40;
const VALUE_CHARS_MAX = 24;

/** The first run is A. */
export function letterOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

export function verdictWords({ verdict }: Pick<ComparedRun, 'verdict'>, letter: string): string {
  if (verdict === 'cannot tell') return `Cannot tell whether ${letter} is better or worse than A`;
  return `${letter} is ${verdict} than A`;
}

/** A figure as its kind is read: money, tokens, time or a score. */
export function figureText({ figure }: Pick<FigureComparison, 'figure'>, value: number): string {
  if (Number.isNaN(value)) return '–';
  if (figure === 'cost') return moneyText(value);
  if (figure === 'tokens') return value < 100 ? String(Number(value.toFixed(1))) : formatCount(value);
  if (figure === 'time') return value < 1 ? `${Math.round(value * 1_000)} ms` : formatDuration(value * 1_000);
  return formatScore(value);
}

/** A sample may cost far less than a cent: two digits of it are told, wherever they begin. */
function moneyText(value: number): string {
  if (value === 0 || value >= 0.01) return formatUsd(value);
  return `$${value.toFixed(Math.min(9, 1 - Math.floor(Math.log10(value))))}`;
}

/** With its sign: `+0.080`, `−$0.0021`. */
export function signedText(figure: Pick<FigureComparison, 'figure'>, value: number): string {
  if (Number.isNaN(value)) return '–';
  const text = figureText(figure, Math.abs(value));
  return value === 0 ? text : `${value > 0 ? '+' : '−'}${text}`;
}

export function intervalText(figure: Pick<FigureComparison, 'figure' | 'interval'>): string {
  const { interval } = figure;
  return interval ? `${signedText(figure, interval.lower)} to ${signedText(figure, interval.upper)}` : '–';
}

/** The probability that decided: adjusted where several scores were judged together. */
export function probabilityText({ p, pAdjusted = p }: Pick<FigureComparison, 'p' | 'pAdjusted'>): string {
  return pAdjusted < 0.001 ? '<0.001' : pAdjusted.toFixed(3);
}

/** `exact 0.760 → 0.840, +0.080 (95 %: +0.029 to +0.131, p 0.003)` */
export function differenceWords(figure: FigureComparison): string {
  if (figure.samples === 0) return `${figure.figure} has no number on both sides`;
  const { figure: name, before, after, difference } = figure;
  const sides = `${figureText(figure, before)} → ${figureText(figure, after)}`;
  const around = figure.interval ? `95 %: ${intervalText(figure)}, ` : '';
  return `${name} ${sides}, ${signedText(figure, difference)} (${around}p ${probabilityText(figure)})`;
}

/** What it would take to tell; empty when that cannot be said. */
export function toDecideWords(figure: FigureComparison): string {
  const { moreEpochs, isAtLeast, cost, samples, sameWay, detectable } = figure.wouldDecide ?? {};
  if (sameWay !== undefined) return noneDiffered(figure, sameWay);
  if (samples === undefined)
    return detectable === undefined
      ? ''
      : `No difference was seen; with these samples a difference of ${figureText(figure, detectable)} would show.`;
  const inSamples = `${inThousands(samples, 'sample')} in all`;
  if (moreEpochs === undefined || !cost)
    return `If the difference is what was seen, more epochs would not decide, but about ${inSamples} would.`;
  const price =
    cost.usd === null
      ? 'at an unknown price'
      : cost.usd === 0
        ? 'for nothing'
        : `about ${formatUsd(cost.usd)}`;
  const about = isAtLeast ? 'at least' : 'about';
  return `If the difference is what was seen, ${about} ${inThousands(moreEpochs, 'more epoch')} of both (${inThousands(cost.samples, 'sample')}, ${price}) or ${inSamples} would decide.`;
}

/** The test tells of samples that go the same way, however little each of them moves. */
function noneDiffered(figure: FigureComparison, sameWay: number): string {
  const { samples, wouldDecide, flips } = figure;
  const them = samples === 1 ? '1 sample' : `${inThousands(samples, 'sample')}`;
  if (samples < sameWay)
    return `No ${flips.length === 0 ? 'sample differed' : 'difference was seen'}, and with ${them} none can be told: it takes at least ${sameWay}.`;
  const size =
    wouldDecide?.detectable === undefined
      ? ''
      : ` (a difference of ${figureText(figure, wouldDecide.detectable)})`;
  return `No sample differed; ${sameWay} of these ${them} going the same way${size} would have shown.`;
}

/** `28,560 samples` */
function inThousands(count: number, noun: string): string {
  return counted(count, noun).replace(/^\d+/, (digits) => Number(digits).toLocaleString('en-US'));
}

/** The figure that the first line is about: what decided, else the first score. */
export function leadingFigure({ verdict, scores, completed }: ComparedRun): FigureComparison | undefined {
  const all = [...scores, ...(completed ? [completed] : [])];
  return all.find((figure) => figure.verdict === verdict) ?? all[0];
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
