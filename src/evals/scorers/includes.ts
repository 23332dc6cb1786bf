import type { SampleRow, Scorer } from '../eval.ts';
import { truth } from '../plain-checks.ts';
import { shortened, targetNeeded, targetTexts } from './sample-text.ts';
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
    check: (sample) => void wordsOf(sample),
    score(context) {
      const output = prepare(context.text);
      const isThere = wordsOf(context.sample).some((target) => output.includes(prepare(target)));
      return { value: isThere ? 'C' : 'I', answer: shortened(context.text) };
    },
  });
}

/** An empty text stands in every output: whoever answered nothing would be right. */
function wordsOf(sample: SampleRow): readonly string[] {
  const texts = targetTexts(sample, 'includes');
  if (texts.some((text) => text === '')) throw targetNeeded(sample, 'includes', 'a text that is not empty');
  return texts;
}
