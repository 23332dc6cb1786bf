import { type FieldTerm, type Operator, parseQuery, type Query, type Wrong } from './query.ts';
import { momentMsOf, numberOf, partOfText, type TextTest, wholeText } from './words-and-numbers.ts';

export type Test<Item> = (item: Item) => boolean;

/** Makes a test of a term, or says in one sentence why there is none. */
export type MakeTest<Item> = (term: FieldTerm) => Test<Item> | string;

/** One field of a filter. */
export interface Field<Item> {
  /** For people who choose one. */
  readonly about: string;
  /** Words that may stand as its value. */
  readonly values?: readonly string[];
  /** Whether `.name` may follow. */
  readonly hasPath?: boolean;
  readonly test: MakeTest<Item>;
}

export type Fields<Item> = Readonly<Record<string, Field<Item>>>;

export interface CompiledQuery<Item> {
  matches(item: Item): boolean;
  /** The first thing that is wrong. What is wrong is left out; all else holds. */
  readonly wrong?: Wrong;
  readonly query: Query | undefined;
}

export interface Language<Item> {
  readonly fields: Fields<Item>;
  /** Where words without a field are looked for. */
  readonly texts: (item: Item) => readonly (string | undefined)[];
}

export function compileQuery<Item>(text: string, language: Language<Item>): CompiledQuery<Item> {
  const { query, wrong: notRead } = parseQuery(text);
  const wrongs = notRead ? [notRead] : [];
  const test = query && testOf(query, language, (wrong) => wrongs.push(wrong));
  const [wrong] = wrongs.toSorted((a, b) => a.at - b.at);
  const matches = test ?? (() => true);
  return wrong ? { matches, query, wrong } : { matches, query };
}

/** Undefined when nothing of it is left. */
function testOf<Item>(
  query: Query,
  language: Language<Item>,
  tell: (wrong: Wrong) => void,
): Test<Item> | undefined {
  switch (query.kind) {
    case 'and':
    case 'or': {
      const tests = query.of.flatMap((part) => testOf(part, language, tell) ?? []);
      if (tests.length < 2) return tests[0];
      if (query.kind === 'and') return (item) => tests.every((test) => test(item));
      return (item) => tests.some((test) => test(item));
    }
    case 'not': {
      const test = testOf(query.of, language, tell);
      return test && ((item) => !test(item));
    }
    case 'text': {
      const isThere = partOfText(query.value);
      return (item) => language.texts(item).some(isThere);
    }
    case 'field':
      return fieldTest(query, language, tell);
  }
}

function fieldTest<Item>(
  term: FieldTerm,
  { fields }: Language<Item>,
  tell: (wrong: Wrong) => void,
): Test<Item> | undefined {
  const field = Object.hasOwn(fields, term.field) ? fields[term.field] : undefined;
  if (!field) {
    tell({ at: term.at, message: noField(term.field, Object.keys(fields)) });
    return undefined;
  }
  if (term.path !== undefined && !field.hasPath) {
    tell({ at: term.at, message: `"${term.field}" is one thing: nothing can follow it after a dot.` });
    return undefined;
  }
  const test = field.test(term);
  if (typeof test !== 'string') return test;
  tell({ at: term.valueAt, message: test });
  return undefined;
}

function noField(name: string, names: readonly string[]): string {
  const near = names.find((one) => one.startsWith(name) || name.startsWith(one));
  const hint = near === undefined ? '' : ` Is "${near}" meant?`;
  return `There is no field "${name}".${hint} Put it into quotes to look for it as text.`;
}

/** A field whose value is the whole of a name; `*` stands for anything. */
export function nameField<Item>(
  about: string,
  namesOf: (item: Item) => string | readonly string[] | undefined,
  options: { readonly values?: readonly string[]; readonly means?: (word: string) => string } = {},
): Field<Item> {
  const { means = (word) => word, ...shown } = options;
  return {
    about,
    ...shown,
    test: (term) =>
      textTest(term, (value, isExact) => {
        const is = wholeText({ ...value, text: means(value.text) }, isExact);
        return (item) => some(namesOf(item), is);
      }),
  };
}

/** A field that holds running text: its value may be anywhere in it. */
export function textField<Item>(
  about: string,
  textsOf: (item: Item) => string | readonly string[] | undefined,
): Field<Item> {
  return {
    about,
    test: (term) =>
      textTest(term, (value, isExact) => {
        const is = partOfText(value, isExact);
        return (item) => some(textsOf(item), is);
      }),
  };
}

/** `!=` is what `:` is not. */
export function textTest<Item>(
  { field, operator, value }: FieldTerm,
  make: (value: FieldTerm['value'], isExact: boolean) => Test<Item>,
): Test<Item> | string {
  if (operator === ':' || operator === '=') return make(value, operator === '=');
  if (operator !== '!=') return `"${field}" is text: it can be compared by ":", "=" and "!=" only.`;
  const is = make(value, false);
  return (item) => !is(item);
}

function some(texts: string | readonly string[] | undefined, is: TextTest): boolean {
  if (texts === undefined || typeof texts === 'string') return is(texts);
  return texts.length === 0 ? is(undefined) : texts.some(is);
}

/** A field that holds a number; `*` is any. What has none matches no comparison. */
export function numberField<Item>(
  about: string,
  valueOf: (item: Item) => number | undefined,
  options: {
    readonly read?: (text: string) => number | undefined;
    readonly like?: string;
    /** What a value in percent is compared with. */
    readonly shareOf?: (item: Item) => number | undefined;
  } = {},
): Field<Item> {
  const { shareOf = valueOf } = options;
  const test: MakeTest<Item> = (term) =>
    numberTest(term, { ...options, valueOf: term.value.text.endsWith('%') ? shareOf : valueOf });
  return { about, test };
}

export function numberTest<Item>(
  { field, operator, value }: FieldTerm,
  options: {
    readonly valueOf: (item: Item) => number | undefined;
    readonly read?: (text: string) => number | undefined;
    readonly like?: string;
  },
): Test<Item> | string {
  const { valueOf, read = numberOf, like = '0.5, 12 or 10k' } = options;
  if (value.text === '*' && !value.isQuoted && isEquality(operator)) {
    const isKnown = (item: Item) => !Number.isNaN(valueOf(item) ?? Number.NaN);
    return operator === '!=' ? (item) => !isKnown(item) : isKnown;
  }
  const wanted = read(value.text);
  if (wanted === undefined) return `"${value.text}" is no value of ${field}: write ${like}.`;
  const compare = COMPARISONS[operator];
  return (item) => {
    const known = valueOf(item);
    return known === undefined ? operator === '!=' : compare(known, wanted);
  };
}

export function isEquality(operator: Operator): boolean {
  return operator === ':' || operator === '=' || operator === '!=';
}

const COMPARISONS: Readonly<Record<Operator, (a: number, b: number) => boolean>> = {
  ':': isEqual,
  '=': isEqual,
  '!=': (a, b) => !isEqual(a, b),
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b || isEqual(a, b),
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b || isEqual(a, b),
};

/** Sums of prices and shares are no round numbers in binary. */
function isEqual(a: number, b: number): boolean {
  return a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

/** A field that takes one of a few words, each with what it means. */
export function wordField<Item>(about: string, words: Readonly<Record<string, Test<Item>>>): Field<Item> {
  const values = Object.keys(words);
  return { about, values, test: (term) => wordTest(term, words) };
}

function wordTest<Item>(
  { field, operator, value }: FieldTerm,
  words: Readonly<Record<string, Test<Item>>>,
): Test<Item> | string {
  const word = value.text.toLowerCase();
  const is = Object.hasOwn(words, word) ? words[word] : undefined;
  if (!is || !isEquality(operator)) return onlyWords(field, Object.keys(words));
  return operator === '!=' ? (item) => !is(item) : is;
}

function onlyWords(field: string, values: readonly string[]): string {
  return `"${field}" takes one of these: ${values.join(', ')}.`;
}

/** A moment: a date, or how long ago. */
export function momentField<Item>(
  about: string,
  nowMs: number,
  make: (ms: number) => Test<Item>,
): Field<Item> {
  const test: MakeTest<Item> = ({ field, operator, value }) => {
    if (operator !== ':' && operator !== '=')
      return `Write "${field}:" and a date such as 2026-11-01, or 30d.`;
    const ms = momentMsOf(value.text, nowMs);
    return ms === undefined
      ? `"${value.text}" is no moment: write 2026-11-01, or how long ago: 30d, 12h.`
      : make(ms);
  };
  return { about, values: ['24h', '7d', '30d', '90d'], test };
}
