import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type Json } from '../base/index.ts';
import { applyPatch, type JsonChange, readChanges } from './json-patch.ts';

const apply = (value: Json, ...changes: JsonChange[]) => applyPatch(value, changes);

describe('a patch', () => {
  test('adds, replaces, removes, moves and copies, also inside lists', () => {
    const { value, unapplied } = apply(
      { notes: ['a'], count: 1, last: { text: 'x' }, 'a/b': { '~': 1 } },
      { op: 'add', path: '/notes/1', value: 'b' },
      { op: 'add', path: '/notes/0', value: 'first' },
      { op: 'add', path: '/notes/-', value: 'end' },
      { op: 'replace', path: '/count', value: 2 },
      { op: 'replace', path: '/a~1b/~0', value: 3 },
      { op: 'copy', path: '/copied', from: '/last' },
      { op: 'move', path: '/moved', from: '/last/text' },
      { op: 'remove', path: '/notes/1' },
      { op: 'test', path: '/count', value: 99 },
    );
    expect(unapplied).toEqual([]);
    expect(value).toEqual({
      notes: ['first', 'b', 'end'],
      count: 2,
      last: {},
      'a/b': { '~': 3 },
      copied: { text: 'x' },
      moved: 'x',
    });
  });

  test('a key that holds a tilde before a digit is that key', () => {
    const patched = apply({ 'a~1b': 1, 'a/b': 2 }, { op: 'replace', path: '/a~01b', value: 3 });
    expect(patched).toEqual({ value: { 'a~1b': 3, 'a/b': 2 }, unapplied: [] });
  });

  test('sets what it should replace and does not miss what it should remove: our state may lag behind', () => {
    expect(apply({}, { op: 'replace', path: '/count', value: 2 })).toEqual({
      value: { count: 2 },
      unapplied: [],
    });
    expect(apply({ a: 1 }, { op: 'remove', path: '/gone' })).toEqual({ value: { a: 1 }, unapplied: [] });
  });

  test('names the changes whose place is not there, and applies the others', () => {
    const { value, unapplied } = apply(
      { a: 1 },
      { op: 'add', path: '/list/0', value: 'x' },
      { op: 'add', path: '/a/b', value: 'x' },
      { op: 'frobnicate', path: '/a' },
      { op: 'move', path: '/c', from: '/nowhere' },
      { op: 'add', path: '/b', value: 2 },
    );
    expect(value).toEqual({ a: 1, b: 2 });
    expect(unapplied).toEqual(['/list/0', '/a/b', '/a', '/c']);
  });

  test('can set keys that look like a prototype, and changes no other object', () => {
    const { value } = apply({}, { op: 'add', path: '/__proto__', value: { polluted: true } });
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('reads only what is an operation', () => {
    expect(readChanges([{ op: 'add', path: '/a', value: 1 }, { path: '/b' }, null, 'x'])).toHaveLength(1);
    expect(readChanges({})).toEqual([]);
  });
});

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.string(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 3 }), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const store = fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 5 }) as fc.Arbitrary<Json>;

test('law: the changes between two states, applied to the first, give the second', () => {
  fc.assert(
    fc.property(store, store, (before, after) => {
      const { value, unapplied } = applyPatch(before, difference(before, after, ''));
      expect(unapplied).toEqual([]);
      expect(value).toEqual(after);
    }),
  );
});

test('law: a patch never changes the value that it is given', () => {
  fc.assert(
    fc.property(store, store, (before, after) => {
      const text = JSON.stringify(before);
      applyPatch(before, difference(before, after, ''));
      expect(JSON.stringify(before)).toBe(text);
    }),
  );
});

/** A plain differ: keys one by one, lists grown and shrunk at their end. */
function difference(before: Json | undefined, after: Json, path: string): JsonChange[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isJsonArray(before) && isJsonArray(after)) {
    const changes: JsonChange[] = [];
    for (let at = before.length - 1; at >= after.length; at--)
      changes.push({ op: 'remove', path: `${path}/${at}` });
    after.forEach((item, at) => {
      if (at >= before.length) changes.push({ op: 'add', path: `${path}/${at}`, value: item });
      else changes.push(...difference(before[at], item, `${path}/${at}`));
    });
    return changes;
  }
  if (!isJsonObject(before) || !isJsonObject(after) || isJsonArray(before) || isJsonArray(after))
    return [{ op: 'replace', path, value: after }];
  const key = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return [
    ...Object.keys(before)
      .filter((name) => !Object.hasOwn(after, name))
      .map((name) => ({ op: 'remove', path: key(name) })),
    ...Object.entries(after).flatMap(([name, item]) =>
      Object.hasOwn(before, name)
        ? difference(before[name], item ?? null, key(name))
        : [{ op: 'add', path: key(name), value: item ?? null }],
    ),
  ];
}
