import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/index.ts';
import { firstIn } from '../../views/index.ts';
import { Breath } from '../breath.ts';
import { mayContain } from './byte-search.ts';
import { isInBytes, isInText, latin1Of, needleOf } from './needle.ts';
import { LongValue, snippetsInBytes } from './raw-snippets.ts';

const NASTY = [
  'é',
  'É',
  '\n',
  '\t',
  '"',
  '\\',
  '/',
  '<',
  '>',
  '&',
  "'",
  '😀',
  'ß',
  'İ',
  'ſ',
  'K',
  '\u2028',
  '\u0000',
  'n',
  'u',
  '0',
  'e9',
];
const letters = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NASTY, ...'aAbBcC 01'.split('')) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
);
const words = fc.array(letters, { minLength: 1, maxLength: 5 }).map((all) => all.join(''));
const long = fc.array(letters, { maxLength: 40 }).map((all) => all.join(''));

/** As Python writes it: every letter beyond ASCII is escaped. */
const asciiJson = (text: string) =>
  JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
/** As writers of HTML do. */
const htmlJson = (text: string) =>
  JSON.stringify(text)
    .replace(/[<>&']/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`)
    .replaceAll('/', '\\/');
const WRITERS = [JSON.stringify, asciiJson, htmlJson] as const;

const inCase = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toUpperCase(),
  (text: string) => text.toLowerCase(),
);

test('what is in a text is found in its bytes, whoever wrote them and in whatever case it is looked for', () => {
  fc.assert(
    fc.property(long, words, long, inCase, (before, word, after, change) => {
      const text = before + word + after;
      const other = change(word);
      const needle = needleOf(other);
      fc.pre(isInText(needle, text));
      for (const write of WRITERS) expect(isInBytes(needle, latin1Of(Buffer.from(write(text))))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('a word is found in itself, and whatever its case where letters have one', () => {
  fc.assert(
    fc.property(words, (word) => {
      expect(isInText(needleOf(word), word)).toBe(true);
    }),
  );
  for (const [word, text] of [
    ['straße', 'STRAßE'],
    ['Ünïcödé', 'üNÏCÖDÉ'],
    ['ΔΕΛΤΑ', 'δελτα'],
    ['привет', 'ПРИВЕТ'],
  ] as const)
    expect(isInText(needleOf(word), text)).toBe(true);
});

test('however the bytes are cut into chunks, the same is found', async () => {
  const breath = new Breath(systemClock, new AbortController().signal);
  await fc.assert(
    fc.asyncProperty(long, words, long, fc.integer({ min: 1, max: 9 }), async (before, word, after, size) => {
      const bytes = Buffer.from(asciiJson(before + word + after));
      async function* chunks() {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      }
      expect(await mayContain(chunks(), needleOf(word), breath)).toBe(true);
      const isThere = isInBytes(needleOf('zq~'), latin1Of(bytes));
      expect(await mayContain(chunks(), needleOf('zq~'), breath)).toBe(isThere);
    }),
  );
});

test('the words around a hit are the same whether a value was parsed or only its bytes were looked at', () => {
  fc.assert(
    fc.property(long, words, long, (before, word, after) => {
      const text = (before + word + after).toWellFormed();
      const needle = needleOf(word.toWellFormed());
      const parsed = firstIn(text, needle);
      for (const write of WRITERS)
        expect(snippetsInBytes(Buffer.from(`{"key":${write(text)}}`), needle)[0]).toEqual(parsed);
    }),
    { numRuns: 1_000 },
  );
});

test('a long value has the same hits in slices as in one piece', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(long, words)),
      words,
      fc.integer({ min: 1, max: 50 }),
      (texts, word, size) => {
        const text = texts
          .map(([before, other]) => `${before}${other}${word}`)
          .join('')
          .toWellFormed();
        const needle = needleOf(word.toWellFormed());
        const latin1 = latin1Of(Buffer.from(asciiJson(text)));
        const value = new LongValue(needle);
        const slices = Array.from({ length: Math.ceil(latin1.length / size) }, (_, at) =>
          latin1.slice(at * size, (at + 1) * size),
        );
        const found = slices.flatMap((slice, at) => value.push(slice, at === slices.length - 1));
        expect(found).toEqual(snippetsInBytes(Buffer.from(latin1, 'latin1'), needle));
      },
    ),
    { numRuns: 300 },
  );
});

test('neither the name of a key nor a part of an escape is a hit', () => {
  const bytes = Buffer.from('{"name":"a\\nb","n":"\\u00e9","u00e9":1,"other name":"x"}');
  expect(snippetsInBytes(bytes, needleOf('name'))).toEqual([]);
  expect(snippetsInBytes(bytes, needleOf('nb'))).toEqual([]);
  expect(snippetsInBytes(bytes, needleOf('e9'))).toEqual([]);
  expect(snippetsInBytes(bytes, needleOf('É'))).toEqual([{ before: '', hit: 'é', after: '' }]);
});
