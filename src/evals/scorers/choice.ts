import { UsageError } from '../../base/index.ts';
import type { SampleRow, Scorer } from '../eval.ts';
import { truth } from '../plain-checks.ts';
import { shortened, targetTexts } from './sample-text.ts';
import { buildScorer, type CommonOptions } from './scorer-options.ts';

export interface ChoiceOptions extends CommonOptions {
  /** Several letters may be right together: all of the target's, and no others, must be given. Default false. */
  readonly multiple?: boolean;
}

/**
 * Multiple choice: the row has `choices`, and its target is the letter of the right one (A, B, …) or its text.
 * The answer is read from `ANSWER: B`, or from an output that is nothing but a letter or a choice.
 */
export function choice(options: ChoiceOptions = {}): Scorer {
  const multiple = options.multiple ?? false;
  return buildScorer({
    name: 'choice',
    options,
    shape: { multiple: truth.optional() },
    check: (sample) => void wantedLetters(sample, choicesOf(sample), multiple),
    score(context) {
      const choices = choicesOf(context.sample);
      const wanted = wantedLetters(context.sample, choices, multiple);
      const given = lettersIn(context.text, choices, multiple);
      if (given === undefined) {
        return { value: 'I', explanation: `No choice found in: ${shortened(context.text)}` };
      }
      const isRight = multiple ? sameLetters(given, wanted) : given.some((letter) => wanted.includes(letter));
      return { value: isRight ? 'C' : 'I', answer: given.join(', ') };
    },
  });
}

/** A, B, … Z, then 1, 2, …: the letter of the choice at that index. */
export function choiceLetter(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : String(index - 25);
}

/** A question with its choices as a prompt that `choice` can read the answer of. */
export function choicePrompt(
  question: string,
  choices: readonly string[],
  options: ChoiceOptions = {},
): string {
  const letters = choices.map((_, index) => choiceLetter(index));
  const lines = choices.map((text, index) => `${letters[index]}) ${text}`);
  const rule = options.multiple
    ? `One or more of the choices are right. End with a line "ANSWER: " and their letters, such as "ANSWER: ${letters.slice(0, 2).join(',')}".`
    : `One of the choices is right. End with a line "ANSWER: " and its letter, one of ${letters.join(', ')}.`;
  return `${question}\n\n${lines.join('\n')}\n\n${rule}`;
}

const ANSWER_LINE = /^ANSWER\s*:\s*([A-Za-z\d ,]+)\s*(?:$|\n|\.)/im;
const ANSWER_ANYWHERE = /ANSWER\s*:\s*([A-Za-z\d ,]+)(?:[^\w]|\n|$|\.)/i;

/** The letters that an output gives as its answer, or undefined when it gives none. */
function lettersIn(text: string, choices: readonly string[], multiple: boolean): string[] | undefined {
  const allowed = choices.map((_, index) => choiceLetter(index));
  const marked = (ANSWER_LINE.exec(text) ?? ANSWER_ANYWHERE.exec(text))?.[1];
  if (marked !== undefined) return readLetters(marked, allowed, multiple);
  const bare = /^\(?([A-Za-z\d, ]+?)\)?[.):]?$/.exec(text.trim())?.[1];
  return (
    (bare === undefined ? undefined : readLetters(bare, allowed, multiple)) ??
    lettersOf(choices, (choiceText) => sameText(choiceText, text))
  );
}

function readLetters(text: string, allowed: readonly string[], multiple: boolean): string[] | undefined {
  const word = text.trim().replace(/\.$/, '').toUpperCase();
  if (!multiple) return allowed.includes(word) ? [word] : undefined;
  const joined = word.replace(/ AND /g, ',').replaceAll(' ', '');
  for (const letters of [
    joined.split(',').filter((letter) => letter !== ''),
    [...joined.replaceAll(',', '')],
  ]) {
    if (letters.length > 0 && letters.every((letter) => allowed.includes(letter)))
      return [...new Set(letters)].sort();
  }
  return undefined;
}

function wantedLetters(sample: SampleRow, choices: readonly string[], multiple: boolean): string[] {
  const allowed = choices.map((_, index) => choiceLetter(index));
  return targetTexts(sample, 'choice').flatMap((target) => {
    const letters = lettersOf(choices, (text) => sameText(text, target));
    const found = readLetters(target, allowed, multiple) ?? letters;
    if (found !== undefined) return found;
    throw new UsageError({
      code: 'E_SCORER_TARGET',
      message: `The target "${shortened(target)}" of sample ${sample.id} is none of its choices.`,
      hint: `Give the letter (${allowed.join(', ')}) or the exact text of the right choice.`,
    });
  });
}

function choicesOf(sample: SampleRow): readonly string[] {
  const choices = sample.choices ?? [];
  if (choices.length > 0) return choices;
  throw new UsageError({
    code: 'E_SCORER_TARGET',
    message: `Sample ${sample.id} has no choices, and the scorer choice needs them.`,
    hint: 'Add "choices" to the row: a list of texts.',
  });
}

function lettersOf(choices: readonly string[], matches: (text: string) => boolean): string[] | undefined {
  const index = choices.findIndex(matches);
  return index < 0 ? undefined : [choiceLetter(index)];
}

function sameText(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

function sameLetters(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((letter) => b.includes(letter));
}
