import type { ComparedSample, Outcome } from '../server/api.ts';
import {
  type CompiledQuery,
  compileQuery,
  type Fields,
  nameField,
  numberField,
  type Test,
  textField,
  wordField,
} from './compile-query.ts';
import { durationMsOf } from './words-and-numbers.ts';

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
  };
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
