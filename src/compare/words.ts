import { counted, formatCount, formatDuration, formatScore, formatUsd } from '../base/index.ts';
import type { FigureComparison } from './compare-figure.ts';
import type { ComparedRun } from './compare-runs.ts';

/** Words and numbers of a comparison, the same wherever it is told. */

/** The first run is A. */
export function letterOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
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

/** The probability that decided: adjusted where several scores were judged together. */
export function probabilityText({ p, pAdjusted = p }: Pick<FigureComparison, 'p' | 'pAdjusted'>): string {
  return pAdjusted < 0.001 ? '<0.001' : pAdjusted.toFixed(3);
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

/** `B is better on exact: +0.044 [+0.012, +0.076], paired, n = 500, p = .008.` */
export function verdictSaid(run: ComparedRun, letter: string): string {
  const leading = leadingFigure(run);
  const isUntold = run.verdict === 'cannot tell';
  const said = isUntold ? `Cannot tell whether ${letter} is better or worse` : `${letter} is ${run.verdict}`;
  if (!leading || leading.samples === 0) return `${said} than A: no sample that both have was scored.`;
  const { interval, samples, difference } = leading;
  const around = interval
    ? ` [${signedText(leading, interval.lower)}, ${signedText(leading, interval.upper)}]`
    : '';
  const on = leading.figure === 'completed' ? 'how many samples complete' : leading.figure;
  return `${said} on ${on}: ${signedText(leading, difference)}${around}, paired, n = ${samples}, p ${plainProbability(leading)}.`;
}

/** `= .008`, as papers write it. */
function plainProbability({ p, pAdjusted = p }: FigureComparison): string {
  if (pAdjusted < 0.001) return '< .001';
  return pAdjusted >= 0.9995 ? '= 1' : `= ${pAdjusted.toFixed(3).replace(/^0/, '')}`;
}
