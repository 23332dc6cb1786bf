import { messageOf, UsageError } from '../../base/index.ts';
import type { SampleRow, Scorer } from '../eval.ts';
import { anyText, text } from '../plain-checks.ts';
import { shortened, targetTexts } from './sample-text.ts';
import { buildScorer, type CommonOptions } from './scorer-options.ts';

export interface RegexOptions extends CommonOptions {
  /** A JavaScript pattern, as text or as `/…/`. Absent: the sample's target is the pattern. */
  readonly pattern?: string | RegExp;
  /** Flags such as `i` or `m`; those of a `/…/flags` pattern are taken over. */
  readonly flags?: string;
}

/** Correct when the pattern matches somewhere in the output. The answer is the first group, or the whole match. */
export function regex(options: RegexOptions = {}): Scorer {
  const { pattern, ...rest } = options;
  const source = pattern instanceof RegExp ? pattern.source : pattern;
  const flags = (options.flags ?? (pattern instanceof RegExp ? pattern.flags : '')).replace(/[gy]/g, '');
  const given = typeof source === 'string' ? compile(source, flags, 'The scorer regex') : undefined;
  const patternsOf = (sample: SampleRow) =>
    given
      ? [given]
      : targetTexts(sample, 'regex').map((target) =>
          compile(target, flags, `The target of sample ${sample.id}`),
        );
  return buildScorer({
    name: 'regex',
    options: { ...rest, ...(source !== undefined && { pattern: source }), ...(flags !== '' && { flags }) },
    shape: { pattern: text.optional(), flags: anyText.optional() },
    check: (sample) => void patternsOf(sample),
    score(context) {
      for (const candidate of patternsOf(context.sample)) {
        const match = candidate.exec(context.text);
        if (match !== null) return { value: 'C', answer: shortened(match[1] ?? match[0]) };
      }
      return { value: 'I', answer: shortened(context.text) };
    },
  });
}

function compile(source: string, flags: string, place: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw new UsageError({
      code: 'E_EVAL_INVALID',
      message: `${place} is not a pattern that JavaScript understands: ${messageOf(error)}.`,
      hint: 'Correct the pattern; a backslash inside a quoted text must be doubled.',
      cause: error,
    });
  }
}
