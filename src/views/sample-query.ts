import type { Outcome, SampleItem } from '../server/api.ts';
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
import { flipsOf, keyLike, OUTCOMES, outcomeOf } from './outcomes.ts';
import { costOf, durationOf, meanScore, retriesOf, tokensOf, turnsOf } from './sample-values.ts';
import { durationMsOf, numberOf, wholeText } from './words-and-numbers.ts';

/** Which samples of a run a filter leaves. A sample with several epochs is one. */
export function compileSampleQuery(
  text: string,
  { score }: { readonly score?: string | undefined } = {},
): CompiledQuery<SampleItem> {
  return compileQuery(text, { fields: sampleFields(score), texts: textsOf });
}

function textsOf({ id, input, target, epochs }: SampleItem): readonly (string | undefined)[] {
  return [String(id), input, target, ...epochs.map(({ error }) => error), ...epochs.flatMap(answersOf)];
}

function answersOf({ scores }: SampleItem['epochs'][number]): readonly (string | undefined)[] {
  return Object.values(scores).map(({ answer }) => answer);
}

export function sampleFields(score?: string): Fields<SampleItem> {
  return {
    id: nameField('id of the sample', ({ id }) => String(id)),
    score: scoreField(score),
    outcome: nameField('of any epoch', ({ epochs }) => epochs.map(({ outcome }) => outcome), {
      values: OUTCOME_WORDS,
    }),
    error: textField('text of the error; * for any', ({ epochs }) =>
      epochs.flatMap(({ error }) => error ?? []),
    ),
    limit: textField('limit that was hit; * for any', ({ epochs }) =>
      epochs.flatMap(({ limit }) => limit ?? []),
    ),
    metadata: metadataField(),
    input: textField('text of the input', ({ input }) => input),
    expected: textField('text of the target', ({ target }) => target),
    answer: textField('text of the answer', ({ epochs }) =>
      epochs.flatMap(answersOf).filter((one) => one !== undefined),
    ),
    cost: numberField('dollars, all epochs', costOf, { like: '0.5 or $12' }),
    tokens: numberField('tokens, all epochs', tokensOf),
    turns: numberField('turns, most of any epoch', turnsOf),
    time: numberField('how long, longest epoch', durationOf, {
      read: durationMsOf,
      like: '30s, 5m or 1h30m',
    }),
    retries: numberField('tries that failed', retriesOf),
    epoch: epochField(),
    epochs: numberField('how many epochs', ({ epochs }) => epochs.length),
    flips: flipsField(),
    made: nameField('how it came to be', ({ epochs }) => epochs.flatMap(({ made }) => made ?? [])),
    verdict: nameField('what people said', verdictsOf, { values: ['pass', 'fail', 'unsure'] }),
    is: wordField('a state', STATES),
  };
}

function verdictsOf({ verdicts = [] }: SampleItem): readonly string[] {
  return verdicts.flatMap(({ verdict }) => verdict ?? []);
}

const OUTCOME_WORDS: readonly string[] = Object.keys(OUTCOMES);

const hasOutcome =
  (...wanted: readonly Outcome[]): Test<SampleItem> =>
  ({ epochs }) =>
    epochs.some(({ outcome }) => wanted.includes(outcome));

const STATES: Readonly<Record<string, Test<SampleItem>>> = {
  failing: hasOutcome('fail'),
  passing: ({ epochs }) => epochs.length > 0 && epochs.every(({ outcome }) => outcome === 'pass'),
  error: hasOutcome('error'),
  flaky: (item) => flipsOf(item) > 0,
  limit: ({ epochs }) => epochs.some(({ limit }) => limit !== undefined),
  retried: (item) => (retriesOf(item) ?? 0) > 0,
  unscored: hasOutcome('unscored', 'missing'),
  running: hasOutcome('running'),
  interrupted: hasOutcome('interrupted'),
  judged: ({ verdicts }) => (verdicts?.length ?? 0) > 0,
};

/** How many samples are in each state; the filter `is:<state>` leaves as many. */
export function countSampleStates(items: readonly SampleItem[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(STATES).map(([state, is]) => [
      state,
      items.reduce((sum, item) => sum + (is(item) ? 1 : 0), 0),
    ]),
  );
}

/** `score:pass`: all epochs; `score:fail`: none passed; `score:partial`: between. `score>0.5`: the mean of the epochs. */
function scoreField(decides: string | undefined): Field<SampleItem> {
  const test: MakeTest<SampleItem> = (term) => {
    const word = term.value.text.toLowerCase();
    if (term.path === undefined && OUTCOME_WORDS.includes(word))
      return textTest(term, (value, isExact) => {
        const is = wholeText(value, isExact);
        return (item) => is(outcomeOf(item));
      });
    const name = term.path ?? decides;
    const isNumber = word === '*' || numberOf(word) !== undefined;
    if (isNumber || !isEquality(term.operator))
      return numberTest(term, {
        valueOf: (item) => meanScore(item, name),
        like: '0.5, 50%, pass, fail or partial',
      });
    return textTest(term, () => valueTest(name, word));
  };
  return {
    about: 'pass, fail, partial, or a number; also score.name',
    values: ['pass', 'fail', 'partial'],
    hasPath: true,
    test,
  };
}

/** What a score says that passes, or fails, whoever wrote it. */
const MEANINGS: Readonly<Record<string, readonly string[]>> = {
  pass: ['c', 'true', '1', 'pass', 'passed', 'correct', 'yes'],
  fail: ['i', 'false', '0', 'fail', 'failed', 'incorrect', 'no', 'n'],
  partial: ['p', 'partial', '0.5'],
};

/** The value itself, as it stands in the log: `C`, `true`, a grade, a word; of any epoch. */
function valueTest(name: string | undefined, word: string): Test<SampleItem> {
  const words = MEANINGS[word] ?? [];
  const is = wholeText({ text: word, isQuoted: false }, false);
  return ({ epochs }) =>
    epochs.some(({ scores }) => {
      const key = name === undefined ? Object.keys(scores)[0] : keyLike(scores, name);
      const value = key === undefined ? undefined : scores[key]?.value;
      const said = value === undefined || value === null ? undefined : plain(value);
      return said !== undefined && (is(said) || words.includes(said.toLowerCase()));
    });
}

/** `metadata.level:hard`, `metadata.year>2020`, `metadata.topic:*`; `metadata:word` is any of them. */
function metadataField(): Field<SampleItem> {
  const test: MakeTest<SampleItem> = (term) => {
    const { path, operator, value } = term;
    if (!isEquality(operator))
      return numberTest(term, { valueOf: ({ metadata }) => asNumber(metadataAt(metadata, path)) });
    return textTest(term, (wanted, isExact) => {
      const is = wholeText(wanted, isExact);
      if (path === undefined) return ({ metadata }) => Object.values(metadata).some((one) => isSaid(one, is));
      const isAbsent = value.text === '';
      return ({ metadata }) => {
        const found = metadataAt(metadata, path);
        return found === undefined || found === null ? isAbsent : isSaid(found, is);
      };
    });
  };
  return { about: 'metadata.key', hasPath: true, test };
}

function isSaid(value: unknown, is: (text: string) => boolean): boolean {
  return Array.isArray(value) ? value.some((one) => is(plain(one))) : is(plain(value));
}

/** A key that has dots in it goes before the keys within keys. */
export function metadataAt(metadata: SampleItem['metadata'], path: string | undefined): unknown {
  if (path === undefined) return undefined;
  if (Object.hasOwn(metadata, path)) return metadata[path];
  let value: unknown = metadata;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function asNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? numberOf(value) : undefined;
}

/** Samples that have such an epoch. */
function epochField(): Field<SampleItem> {
  const test: MakeTest<SampleItem> = (term) => {
    const isOne = numberTest<number>(term, { valueOf: (epoch) => epoch });
    return typeof isOne === 'string' ? isOne : ({ epochs }) => epochs.some(({ epoch }) => isOne(epoch));
  };
  return { about: 'number of an epoch', test };
}

/** `flips:yes`, `flips:no`, `flips>1`: how often epochs disagree. */
function flipsField(): Field<SampleItem> {
  const test: MakeTest<SampleItem> = (term) => {
    const word = term.value.text.toLowerCase();
    if (word !== 'yes' && word !== 'no')
      return numberTest(term, { valueOf: flipsOf, like: 'yes, no or a number' });
    return textTest(term, () => (item) => flipsOf(item) > 0 === (word === 'yes'));
  };
  return { about: 'how often epochs disagree', values: ['yes', 'no'], test };
}
