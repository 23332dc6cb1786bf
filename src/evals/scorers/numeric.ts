import type { SampleRow, Scorer } from '../eval.ts';
import { amountOrZero, oneOf } from '../plain-checks.ts';
import { shortened, targetNeeded } from './sample-text.ts';
import { buildScorer, type CommonOptions } from './scorer-options.ts';

export interface NumericOptions extends CommonOptions {
  /** How far the answer may be from the target. Default 0. */
  readonly tolerance?: number;
  /** The same as a share of the target: 0.01 allows 1 %. The larger of the two counts. */
  readonly relative?: number;
  /** Which number of the output is the answer. Default: the last. */
  readonly pick?: 'first' | 'last';
}

/** Correct when the number in the output is the target's, within the tolerance. */
export function numeric(options: NumericOptions = {}): Scorer {
  const { tolerance = 0, relative = 0, pick = 'last' } = options;
  return buildScorer({
    name: 'numeric',
    options,
    shape: {
      tolerance: amountOrZero.optional(),
      relative: amountOrZero.optional(),
      pick: oneOf('first', 'last').optional(),
    },
    check: (sample) => void targetNumbers(sample),
    score(context) {
      const targets = targetNumbers(context.sample);
      const answer = typeof context.output === 'number' ? context.output : pickNumber(context.text, pick);
      if (answer === undefined)
        return { value: 'I', explanation: `No number in: ${shortened(context.text)}` };
      const isClose = targets.some(
        (target) => Math.abs(answer - target) <= Math.max(tolerance, relative * Math.abs(target)),
      );
      return { value: isClose ? 'C' : 'I', answer: String(answer) };
    },
  });
}

const NUMBER =
  /(?<![\w.])[-+\u2212]?[$€£]?[-+\u2212]?(?:\d{1,3}(?:[,_\u00a0\u202f]\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?/gu;

/** All numbers in a text: signs, decimals, exponents, thousands separated by commas, currency signs before them. */
export function numbersIn(text: string): number[] {
  const numbers: number[] = [];
  for (const [word] of text.matchAll(NUMBER)) {
    if (!/\d/.test(word)) continue;
    const number = Number(word.replaceAll('\u2212', '-').replace(/[$€£,_\u00a0\u202f]/gu, ''));
    if (Number.isFinite(number)) numbers.push(number);
  }
  return numbers;
}

function pickNumber(text: string, pick: 'first' | 'last'): number | undefined {
  return numbersIn(text).at(pick === 'first' ? 0 : -1);
}

function targetNumbers(sample: SampleRow): number[] {
  const list: readonly unknown[] = Array.isArray(sample.target) ? sample.target : [sample.target];
  const numbers = list.map((target) => {
    if (typeof target === 'number') return target;
    return typeof target === 'string' ? numbersIn(target)[0] : undefined;
  });
  const found = numbers.filter((number) => number !== undefined);
  if (found.length === 0 || found.length < list.length) throw targetNeeded(sample, 'numeric', 'a number');
  return found;
}
