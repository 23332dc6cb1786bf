import type { ComparedSample, Outcome } from '../server/api.ts';
import {
  type CompiledQuery,
  compileQuery,
  type Field,
  type Fields,
  isEquality,
  type MakeTest,
  nameField,
  numberField,
  numberTest,
  type Test,
  textField,
  textTest,
  wordField,
} from './compile-query.ts';
import { OUTCOMES } from './outcomes.ts';
import { durationMsOf, numberOf, wholeText } from './words-and-numbers.ts';

/** Which samples of a comparison a filter leaves. What is said of a run holds when it holds of any of them. */
export function compileComparedQuery(text: string): CompiledQuery<ComparedSample> {
  return compileQuery(text, { fields: comparedFields(), texts: ({ id, input }) => [String(id), input] });
}

export function comparedFields(): Fields<ComparedSample> {
  return {
    id: nameField('id of the sample', ({ id }) => String(id)),
    input: textField('text of the input', ({ input }) => input),
    outcome: nameField('in any of the runs', ({ cells }) => cells.map(({ outcome }) => outcome)),
    before: nameField('outcome in the first run', ({ cells: [first] }) => first?.outcome),
    after: nameField('outcome in any other run', ({ cells: [, ...others] }) =>
      others.map(({ outcome }) => outcome),
    ),
    difference: numberField('score against the first run', ({ difference }) => difference),
    cost: numberField(
      'dollars, most of any run',
      mostOf(({ usd }) => usd ?? undefined),
    ),
    turns: numberField(
      'turns, most of any run',
      mostOf(({ turns }) => turns),
    ),
    time: numberField(
      'how long, longest of any run',
      mostOf(({ durationMs }) => durationMs),
      {
        read: durationMsOf,
        like: '30s, 5m or 1h30m',
      },
    ),
    flips: wordField('passed on one side, and failed on the other', DIRECTIONS),
    is: wordField('how it stands to the first run', STATES),
    up: wordField('the run whose score is higher than that of the first', movesBy(1)),
    down: wordField('the run whose score is lower than that of the first', movesBy(-1)),
    ...Object.fromEntries(LETTERS.map((letter, index) => [letter, runField(letter, index)])),
  };
}

/** Runs of a comparison are known by letters; there are six at most. */
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;

/** `a:pass`, `b:missing`: what became of it in one run. `b>0.5`: its number there. */
function runField(letter: string, index: number): Field<ComparedSample> {
  const test: MakeTest<ComparedSample> = (term) => {
    const isNumber = numberOf(term.value.text) !== undefined || !isEquality(term.operator);
    if (isNumber)
      return numberTest(term, { valueOf: ({ cells }) => cells[index]?.number, like: '0.5, pass or fail' });
    return textTest(term, (value, isExact) => {
      const is = wholeText(value, isExact);
      return ({ cells }) => is(cells[index]?.outcome);
    });
  };
  return { about: `outcome or number in run ${letter.toUpperCase()}`, values: Object.keys(OUTCOMES), test };
}

/** By the letter of each run but the first: whether its number went that way. */
function movesBy(sign: 1 | -1): Readonly<Record<string, Test<ComparedSample>>> {
  const [, ...others] = LETTERS;
  return Object.fromEntries(
    others.map((letter, index) => [
      letter,
      ({ cells }: ComparedSample) => {
        const [before, after] = [cells[0]?.number, cells[index + 1]?.number];
        return before !== undefined && after !== undefined && Math.sign(after - before) === sign;
      },
    ]),
  );
}

const isNow =
  (is: ComparedSample['is']): Test<ComparedSample> =>
  (sample) =>
    sample.is === is;

const hasOutcome =
  (wanted: Outcome): Test<ComparedSample> =>
  ({ cells }) =>
    cells.some(({ outcome }) => outcome === wanted);

const STATES: Readonly<Record<string, Test<ComparedSample>>> = {
  regressed: isNow('regressed'),
  improved: isNow('improved'),
  same: isNow('same'),
  unaligned: isNow('only in some'),
  flipped: isFlip,
  failing: hasOutcome('fail'),
  error: hasOutcome('error'),
};

/** It passed on one side, and failed on the other. */
function isFlip({ cells: [first, ...others] }: ComparedSample): boolean {
  const wanted = first?.outcome === 'pass' ? 'fail' : first?.outcome === 'fail' ? 'pass' : undefined;
  return wanted !== undefined && others.some(({ outcome }) => outcome === wanted);
}

const DIRECTIONS: Readonly<Record<string, Test<ComparedSample>>> = {
  yes: isFlip,
  no: (sample) => !isFlip(sample),
  up: (sample) => isFlip(sample) && sample.cells[0]?.outcome === 'fail',
  down: (sample) => isFlip(sample) && sample.cells[0]?.outcome === 'pass',
};

function mostOf(of: (cell: ComparedSample['cells'][number]) => number | undefined) {
  return ({ cells }: ComparedSample): number | undefined => {
    const known = cells.map(of).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  };
}
