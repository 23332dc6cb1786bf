import type { ComparedSample, RunItem, RunWords, SampleItem } from '../server/api.ts';
import { comparedFields } from './compared-query.ts';
import type { Fields } from './compile-query.ts';
import { asValue, quoted } from './print-query.ts';
import { runFields } from './run-query.ts';
import { sampleFields } from './sample-query.ts';

export interface Completions {
  /** What of the text is replaced when one is taken. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly Completion[];
}

export interface Completion {
  /** What is written in its place. */
  readonly text: string;
  /** What it means. */
  readonly about: string;
  /** How often it occurs. */
  readonly count?: number;
}

/** Words that may stand as values, most often first. */
type Words = Readonly<Record<string, readonly { readonly word: string; readonly count?: number }[]>>;

const SHOWN_MAX = 12;

/** What may follow in a filter of runs. */
export function completeRunQuery(text: string, caret: number, words?: RunWords): Completions {
  const known: Words = words
    ? { eval: words.evals, target: words.targets, tag: words.tags, status: words.statuses }
    : {};
  return complete<RunItem>(text, caret, { fields: runFields(0), words: known, paths: {} });
}

export interface SampleWords {
  readonly scores?: readonly string[];
  readonly metadataKeys?: readonly string[];
}

/** What may follow in a filter of samples. */
export function completeSampleQuery(text: string, caret: number, words: SampleWords = {}): Completions {
  const paths = { score: words.scores ?? [], metadata: words.metadataKeys ?? [] };
  return complete<SampleItem>(text, caret, { fields: sampleFields(), words: {}, paths });
}

/** What may follow in a filter of samples that are compared. */
export function completeComparedQuery(text: string, caret: number): Completions {
  return complete<ComparedSample>(text, caret, { fields: comparedFields(), words: {}, paths: {} });
}

interface Known<Item> {
  readonly fields: Fields<Item>;
  readonly words: Words;
  /** Names that may follow a field after a dot. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** A value that is being written: its field, and where the value begins. */
const IN_VALUE = /(?:^|[\s(-])([A-Za-z][\w-]*)(?:\.[^\s()":=!<>]+)?(?::|=|!=)("?)([^\s()"]*)$/;
const IN_FIELD = /(?:^|[\s(-])([A-Za-z][\w.-]*)?$/;

function complete<Item>(text: string, caret: number, known: Known<Item>): Completions {
  const before = text.slice(0, caret);
  const to = caret + (/^[^\s()":=!<>]*/.exec(text.slice(caret))?.[0].length ?? 0);
  if (isWithinQuotes(before)) {
    const open = before.lastIndexOf('"');
    const [, field = ''] = /([A-Za-z][\w-]*)(?::|=|!=)$/.exec(before.slice(0, open)) ?? [];
    return { from: open, to, items: valuesOf(field.toLowerCase(), before.slice(open + 1), known) };
  }
  const value = IN_VALUE.exec(before);
  if (value) {
    const [, field = '', , begun = ''] = value;
    return { from: caret - begun.length, to, items: valuesOf(field.toLowerCase(), begun, known) };
  }
  const field = IN_FIELD.exec(before);
  if (!field) return { from: caret, to: caret, items: [] };
  const begun = field[1] ?? '';
  return { from: caret - begun.length, to, items: namesOf(begun.toLowerCase(), known).slice(0, SHOWN_MAX) };
}

function isWithinQuotes(text: string): boolean {
  return (text.replaceAll(/\\./gs, '').match(/"/g)?.length ?? 0) % 2 === 1;
}

function valuesOf<Item>(name: string, begun: string, { fields, words }: Known<Item>): readonly Completion[] {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) return [];
  const own: Words[string] = (field.values ?? []).map((word) => ({ word }));
  const occurring = Object.hasOwn(words, name) ? (words[name] ?? []) : [];
  const all = [...occurring, ...own.filter(({ word }) => !occurring.some((one) => one.word === word))];
  return startingWith(all, begun, ({ word }) => word)
    .slice(0, SHOWN_MAX)
    .map(({ word, count }) => ({
      text: asValue(word),
      about: '',
      ...(count === undefined ? {} : { count }),
    }));
}

/** Fields, and names after the dot of one. */
function namesOf<Item>(begun: string, { fields, paths }: Known<Item>): readonly Completion[] {
  const names = Object.entries(fields).flatMap(([name, { about }]) => [
    { text: name === 'score' || about.startsWith('metadata') ? name : `${name}:`, about },
    ...(paths[name] ?? []).map((path) => ({ text: `${name}.${asPath(path)}`, about: '' })),
  ]);
  const isPathBegun = begun.includes('.');
  const wanted = isPathBegun ? names : names.filter(({ text }) => begun !== '' || !text.includes('.'));
  return startingWith(wanted, begun, ({ text }) => text);
}

function asPath(name: string): string {
  return /^[^\s()":=!<>.]+$/.test(name) ? name : quoted(name);
}

/** What begins so, then what has it anywhere; each in the order that it was in. */
function startingWith<T>(all: readonly T[], begun: string, textOf: (one: T) => string): readonly T[] {
  const wanted = begun.toLowerCase().replaceAll('*', '');
  const begins = (one: T) => textOf(one).toLowerCase().startsWith(wanted);
  const has = (one: T) => !begins(one) && textOf(one).toLowerCase().includes(wanted);
  return [...all.filter(begins), ...all.filter(has)];
}
