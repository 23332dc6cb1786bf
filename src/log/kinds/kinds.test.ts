import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { arbitraryOf } from '../../../test/sim/arbitrary-of-shape.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { openLog } from '../index.ts';
import type { ModelUsage } from '../schema.ts';
import { DOCUMENTS } from '../shapes/check-document.ts';
import { logHeader } from './header-kinds.ts';
import {
  anyOf,
  asText,
  type Kind,
  listOf,
  number,
  oneOf,
  record,
  recordOf,
  soundRecordOf,
  text,
  Wrong,
} from './kind.ts';
import { chatMessage, logEvent } from './model-kinds.ts';
import { type Kinds, objectOf, optional, otherwise, vital, vitalOr } from './object-kind.ts';
import { readMessages, readModelOutput, readUsage } from './read-value.ts';
import { sampleFields, sampleId, sampleReductions, sampleSummary } from './sample-kinds.ts';

type Thing = {
  readonly name: string;
  readonly size: number;
  readonly note?: string;
  readonly error?: JsonObject;
  readonly marks: readonly string[];
};
const thing = objectOf<Thing>({
  name: text,
  size: otherwise(number, 0),
  note: optional(text),
  error: vital(record),
  marks: vitalOr(listOf(text), []),
});
const whole = { name: 'n', size: 1, note: 'x', error: {}, marks: ['m'] };

describe('a key of the wrong kind', () => {
  test('what is right is given back as it is, with what nobody knows, and not as a copy', () => {
    const value = { ...whole, size: Number.NaN, later: { deep: null } };
    expect(thing(value)).toBe(value);
    const usage: Readonly<Record<string, JsonObject>> = { m: { input_tokens: 1 } };
    expect(recordOf(record)(usage)).toBe(usage);
    const list = [1, Number.NaN];
    expect(listOf(number)(list)).toBe(list);
  });

  test('[LOG-36] one that may be missing is left out, and one that stands for nothing is filled', () => {
    expect(thing({ ...whole, note: 5 })).toEqual({ name: 'n', size: 1, error: {}, marks: ['m'] });
    expect(thing({ ...whole, size: 'large' })).toEqual({ ...whole, size: 0 });
    expect(thing({ name: 'n' })).toEqual({ name: 'n', size: 0, marks: [] });
  });

  test('[LOG-36] null is a key that is missing, where the type has no null', () => {
    expect(thing({ ...whole, note: null, error: null, size: null, marks: null })).toEqual({
      name: 'n',
      size: 0,
      marks: [],
    });
    expect(reasonOf(thing({ ...whole, name: null }))).toBe('name is missing');
    const kept = { value: null };
    expect(objectOf<{ readonly value: Json }>({ value: (value) => value })(kept)).toBe(kept);
  });

  test.each([
    ['no object', [], 'it is not an object'],
    ['without what it needs', {}, 'name is missing'],
    ['with the wrong kind of what it needs', { ...whole, name: 1 }, 'name is not a text'],
    ['with the wrong kind of what matters', { ...whole, error: 'boom' }, 'error is not an object'],
    ['with a list of the wrong kind', { ...whole, marks: 'm' }, 'marks is not a list'],
    ['with a wrong item in a list', { ...whole, marks: ['m', 1] }, 'marks[1] is not a text'],
  ])('[LOG-36] a document %s is wrong, and the place is named', (_, value: Json, reason) => {
    expect(reasonOf(thing(value))).toBe(reason);
  });

  test('a place deep inside is named from outside', () => {
    const kind = objectOf<{ readonly a: Json }>({ a: recordOf(listOf(thing)) });
    expect(reasonOf(kind({ a: { b: [whole, { ...whole, marks: [null] }] } }))).toBe(
      'a.b[1].marks[0] is not a text',
    );
  });

  test('the given value is never changed', () => {
    const value = Object.freeze({ ...whole, note: 5, marks: Object.freeze(['m']) });
    expect(thing(value)).not.toBe(value);
    expect(value.note).toBe(5);
  });

  test('rows whose keys come in another order, or are others, are read by their names', () => {
    const turned = Object.fromEntries(Object.entries({ later: 1, ...whole, note: 5 }).reverse());
    for (const value of [whole, turned, whole])
      expect(thing(value)).toMatchObject({ name: 'n', size: 1, marks: ['m'] });
    expect(thing(turned)).not.toHaveProperty('note');
  });

  test('the compiler asks for every key', () => {
    // @ts-expect-error: a table without the count of what came out is not whole.
    const table: Kinds<ModelUsage> = {
      input_tokens: otherwise(number, 0),
      total_tokens: otherwise(number, 0),
    };
    // @ts-expect-error: what may be missing is marked so.
    const unmarked: Kinds<{ readonly a?: string }> = { a: text };
    // @ts-expect-error: a number is no text.
    const other: Kinds<{ readonly a: string }> = { a: number };
    expect([table, unmarked, other]).toHaveLength(3);
  });
});

describe('kinds', () => {
  test.each<[string, Kind<Json>, Json, Json]>([
    ['an integer beyond 2^53 is near enough a number', number, 2n ** 60n, 2 ** 60],
    ['but as an id it is its text', sampleId, 2n ** 60n, String(2n ** 60n)],
    ['what people read is kept as its text', asText, { a: 1 }, '{"a":1}'],
    [
      'values of the wrong kind are left out of a sound record',
      soundRecordOf(number),
      { a: 1, b: 'x' },
      { a: 1 },
    ],
    ['the first of two kinds that fits', anyOf(text, number), 1, 1],
    ['a word', oneOf('a', 'b'), 'b', 'b'],
  ])('%s', (_, kind, value, expected) => expect(kind(value)).toEqual(expected));

  test.each<[string, Kind<Json>, Json, string]>([
    ['null is no text', asText, null, 'it is not a text'],
    ['a list is no id', sampleId, [1], 'it is not a text or a number'],
    ['neither of two kinds', anyOf(text, listOf(number)), 1, 'it is not a text or a list'],
    ['the kind that got furthest speaks', anyOf(text, listOf(number)), ['x'], '[0] is not a number'],
    ['a word that is none of them', oneOf('a', 'b'), 'c', 'it is not one of a, b'],
  ])('%s', (_, kind, value, reason) => expect(reasonOf(kind(value))).toBe(reason));
});

describe('[LOG-36] whatever has its exact shape is read, and loses nothing but nulls', () => {
  test.each<[keyof typeof DOCUMENTS, Kind<Json>]>([
    ['header', logHeader],
    ['sample', sampleFields],
    ['summary', sampleSummary],
    ['reductions', sampleReductions],
    ['event', logEvent],
    ['message', chatMessage],
  ])('%s', (document, kind) => {
    fc.assert(
      fc.property(arbitraryOf(DOCUMENTS[document]), (value) => {
        const read = kind(value);
        expect(reasonOf(read)).toBeUndefined();
        if (!(read instanceof Wrong)) expectKept(read, value);
      }),
      { numRuns: 150 },
    );
  });
});

test('one item that is no message takes none of the others with it', () => {
  const messages = [
    { role: 'user', content: 'q' },
    7,
    { content: 'nobody said it' },
    { role: 'tool', content: '' },
  ];
  expect(readMessages(messages)).toEqual([messages[0], messages[3]]);
  expect(readMessages('q')).toEqual([]);
  expect(readModelOutput('a')).toBeUndefined();
  expect(readUsage({ m: 1 })).toEqual({});
});

test('[LOG-36] rows of a sound log are not copied to be read', async () => {
  const reader = await openLog(nodeDisk, join(import.meta.dirname, '../../../test/golden/log/v2-zstd.eval'));
  const chunks = await Array.fromAsync(reader.readMember('summaries.json') ?? []);
  const found = parseJson(Buffer.concat(chunks).toString());
  const rows = isJsonArray(found) ? found : [];
  await reader.close();
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(sampleSummary(row)).toBe(row);
});

function reasonOf(found: unknown): string | undefined {
  return found instanceof Wrong ? found.reason : undefined;
}

/** Keys may be added; those that were there are there, unless they were null. */
function expectKept(read: Json | undefined, value: Json, path = ''): void {
  if (isJsonArray(value)) {
    expect(isJsonArray(read) && read.length, path).toBe(value.length);
    for (const [at, item] of value.entries())
      expectKept(isJsonArray(read) ? read[at] : undefined, item, `${path}[${at}]`);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value))
      if (item !== null && item !== undefined)
        expectKept(isJsonObject(read) ? read[key] : undefined, item, `${path}.${key}`);
  } else if (typeof value === 'bigint') expect(String(read), path).toBe(String(value));
  else expect(read, path).toEqual(value);
}
