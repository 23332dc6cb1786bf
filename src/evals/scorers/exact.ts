import type { Scorer } from '../eval.ts';
import { truth } from '../plain-checks.ts';
import { shortened, targetTexts } from './sample-text.ts';
import { buildScorer, type CommonOptions } from './scorer-options.ts';

export interface ExactOptions extends CommonOptions {
  /** Default false: `Paris` is not `paris`. */
  readonly ignoreCase?: boolean;
}

/** Correct when the output, without space around it, is the target (or one of the targets). */
export function exact(options: ExactOptions = {}): Scorer {
  const prepare = (value: string) => (options.ignoreCase ? value.trim().toLowerCase() : value.trim());
  return buildScorer({
    name: 'exact',
    options,
    shape: { ignoreCase: truth.optional() },
    check: (sample) => void targetTexts(sample, 'exact'),
    score(context) {
      const isSame = targetTexts(context.sample, 'exact').some(
        (target) => prepare(target) === prepare(context.text),
      );
      return { value: isSame ? 'C' : 'I', answer: shortened(context.text) };
    },
  });
}
