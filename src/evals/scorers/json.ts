import { digestOfJson, stringifyJson, toJson } from '../../base/index.ts';
import type { SampleRow, Scorer } from '../eval.ts';
import { outputJson, readJson } from './json-text.ts';
import { shortened, targetNeeded } from './sample-text.ts';
import { buildScorer, type CommonOptions } from './scorer-options.ts';

/** Correct when the output is the same JSON value as the target. The order of keys does not matter. */
export function json(options: CommonOptions = {}): Scorer {
  return buildScorer({
    name: 'json',
    options,
    shape: {},
    check: (sample) => void targetJson(sample),
    score(context) {
      const expected = targetJson(context.sample);
      const output = outputJson(context);
      if ('problem' in output) {
        return { value: 'I', answer: shortened(context.text), explanation: output.problem };
      }
      const isSame = digestOfJson(output.value) === digestOfJson(expected);
      return { value: isSame ? 'C' : 'I', answer: shortened(stringifyJson(output.value)) };
    },
  });
}

/** A target given as text is read as JSON where it is JSON, and is that text where it is not. */
function targetJson(sample: SampleRow) {
  const { target } = sample;
  if (target === undefined) throw targetNeeded(sample, 'json', 'a JSON value');
  if (typeof target !== 'string') return toJson(target);
  const reading = readJson(target);
  return 'value' in reading ? reading.value : target;
}
