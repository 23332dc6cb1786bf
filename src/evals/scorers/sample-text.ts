/** Texts of a sample as scorers compare them. */
import { UsageError } from '../../base/index.ts';
import type { SampleRow } from '../eval.ts';

/** The sample's targets as texts: one, or several of which any may match. */
export function targetTexts(sample: SampleRow, scorer: string): readonly string[] {
  const { target } = sample;
  const list: readonly unknown[] = Array.isArray(target) ? target : [target];
  const texts = list.filter(isWord).map(String);
  if (texts.length === 0 || texts.length < list.length) throw targetNeeded(sample, scorer);
  return texts;
}

export function targetNeeded(
  sample: SampleRow,
  scorer: string,
  kind = 'a text or a list of texts',
): UsageError {
  const has = sample.target === undefined || sample.target === '' ? 'no target' : 'a target of another kind';
  return new UsageError({
    code: 'E_SCORER_TARGET',
    message: `Sample ${sample.id} has ${has}, and the scorer ${scorer} needs ${kind}.`,
    hint: 'Add "target" to the row, or use a scorer that needs none.',
  });
}

const SHORT_CHARS_MAX = 200;

/** The beginning of a text, for the `answer` of a score: the whole output is in the sample already. */
export function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= SHORT_CHARS_MAX ? trimmed : `${trimmed.slice(0, SHORT_CHARS_MAX)}…`;
}

function isWord(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
