import type { Scorer } from '../eval.ts';
import { truth } from '../plain-checks.ts';
import { shortened, targetTexts } from './sample-text.ts';
import { buildScorer, type CommonOptions } from './scorer-options.ts';

export interface IncludesOptions extends CommonOptions {
  /** Default true, as in Inspect. */
  readonly ignoreCase?: boolean;
}

/** Correct when the target (or one of the targets) stands anywhere in the output. */
export function includes(options: IncludesOptions = {}): Scorer {
  const prepare = (value: string) => (options.ignoreCase === false ? value : value.toLowerCase());
  return buildScorer({
    name: 'includes',
    options,
    shape: { ignoreCase: truth.optional() },
    check: (sample) => void targetTexts(sample, 'includes'),
    score(context) {
      const output = prepare(context.text);
      const isThere = targetTexts(context.sample, 'includes').some((target) =>
        output.includes(prepare(target)),
      );
      return { value: isThere ? 'C' : 'I', answer: shortened(context.text) };
    },
  });
}
