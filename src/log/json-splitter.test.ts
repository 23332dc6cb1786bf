import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, parseJson } from '../base/index.ts';
import { type JsonPath, JsonSplitError, splitJson, type Verdict } from './json-splitter.ts';
import { prettyJson } from './pretty-json.ts';

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 1.5, -2e-7, Number.NaN, '', 'a"b\\', '\\', '{[,:]}'),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string({ unit: 'grapheme' }), tie('value'), { maxKeys: 4 }),
  ),
})).value;

async function split(
  text: string,
  size: number,
  decide: (path: JsonPath) => Verdict,
  { valueSizeBytesMax = 1e9, sliceBytes }: { valueSizeBytesMax?: number; sliceBytes?: number } = {},
) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const pieces = await Array.fromAsync(splitJson(chunks(), { decide, valueSizeBytesMax, sliceBytes }));
  return pieces.flat().map((piece) => ({
    ...piece,
    text: Buffer.from(piece.bytes).toString(),
    slice: bytes.subarray(piece.start, piece.end).toString(),
  }));
}

test('[LOG-24] however it is cut, every value is found at its path, and lies where it says', async () => {
  const property = fc.asyncProperty(
    json,
    fc.integer({ min: 1, max: 40 }),
    fc.nat(3),
    fc.boolean(),
    async (value, size, depth, pretty) => {
      const text = pretty ? prettyJson(value) : prettyJson(value).replace(/\n */g, '');
      const pieces = await split(text, size, (path) => (path.length < depth ? 'enter' : 'take'));
      for (const piece of pieces) {
        expect(piece.text).toBe(piece.slice);
        expect(parseJson(piece.text)).toEqual(
          piece.path.reduce((at: Json, step) => Reflect.get(at as object, step) as Json, value),
        );
      }
      expect(pieces).toHaveLength(countAt(value, depth));
    },
  );
  await fc.assert(property, { numRuns: 500 });
});

test('what is skipped is not given, and does not disturb what follows', async () => {
  const text = '{"skip":{"a":["}",{"b":"\\"]"}]},"take":[1,2],"also":"x"}';
  const pieces = await split(text, 3, (path) =>
    path.length === 0 ? 'enter' : path[0] === 'skip' ? 'skip' : 'take',
  );
  expect(pieces.map(({ path, text }) => [path[0], text])).toEqual([
    ['take', '[1,2]'],
    ['also', '"x"'],
  ]);
});

test('[LOG-24] in slices a value is as long as it likes, and no more of it is held than a slice', async () => {
  const text = `{"short":"x","long":["é${'y'.repeat(997)}",{"b":1}],"after":[2]}`;
  const pieces = await split(text, 7, (path) => (path.length === 0 ? 'enter' : 'take'), {
    valueSizeBytesMax: 120,
    sliceBytes: 100,
  });
  const long = pieces.filter(({ path }) => path[0] === 'long');
  expect(long.length).toBeGreaterThan(9);
  expect(long.map(({ isMore }) => isMore)).toEqual([...long.slice(1).map(() => true), undefined]);
  expect(long.every(({ text, slice }) => text === slice)).toBe(true);
  const whole = Buffer.concat(long.map(({ bytes }) => bytes)).toString();
  expect(JSON.parse(whole)).toEqual(JSON.parse(text).long);
  const others = pieces.filter(({ path }) => path[0] !== 'long').map(({ text }) => text);
  expect(others).toEqual(['"x"', '[2]']);
});

test.each([
  '',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  '[1',
  '{"a":1}}',
  '{"a" 1}',
  '{1:2}',
  '[1 2]',
  '{"\\x":1}',
  '[,]',
])('broken text %j is refused with its place', async (text) => {
  await expect(split(text, 2, () => 'enter')).rejects.toBeInstanceOf(JsonSplitError);
});

test('nesting without end and values without end are refused', async () => {
  await expect(split('['.repeat(3_000), 100, () => 'enter')).rejects.toThrow('nested too deeply');
  await expect(split('['.repeat(3_000), 100, () => 'skip')).rejects.toThrow('nested too deeply');
  await expect(split(`"${'x'.repeat(500)}"`, 100, () => 'take', { valueSizeBytesMax: 200 })).rejects.toThrow(
    'more than 200 bytes',
  );
});

function countAt(value: Json, depth: number): number {
  if (depth === 0 || typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, item) => sum + countAt(item as Json, depth - 1), 0);
}
