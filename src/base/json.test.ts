import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, JsonSyntaxError, parseJson, stringifyJson, toJson, tryParseJson } from './json.ts';

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.bigInt({ min: 2n ** 60n, max: 2n ** 80n }),
  fc.string({ unit: 'grapheme' }),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value;

test('what is written is read back, NaN, infinities and big integers included', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = stringifyJson(value);
      expect(stringifyJson(parseJson(text))).toBe(text);
    }),
  );
});

test('any text gives a value or a JsonSyntaxError', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(...'{}[]",:0123456789-.eENaItrufls\\ ') })),
      (text) => {
        try {
          parseJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonSyntaxError);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('an error names its line and column', () => {
  expect(() => parseJson('{\n  "a": tru\n}')).toThrow('line 2, column 8');
});

test('nesting without end is refused, not a crash', () => {
  expect(() => parseJson('{"a": nope}')).toThrow(
    expect.objectContaining({ code: 'E_JSON_SYNTAX', message: expect.stringContaining('line 1, column 7') }),
  );
  expect(() => parseJson(`NaN${'['.repeat(100_000)}`)).toThrow(JsonSyntaxError);
  expect(() => parseJson('['.repeat(100_000) + 'NaN')).toThrow(JsonSyntaxError);
});

test('a lone surrogate becomes literal text', () => {
  expect(stringifyJson(['a\ud800b'])).toBe('["a\\\\ud800b"]');
});

test('a key named __proto__ stays data', () => {
  const value = parseJson('{"__proto__": {"x": NaN}}');
  expect(Object.keys(value as object)).toEqual(['__proto__']);
});

test('toJson keeps what it can and drops what it cannot', () => {
  const loop: Record<string, unknown> = {
    when: new Date(0),
    set: new Set([1]),
    fn: () => 1,
    none: undefined,
  };
  loop.self = loop;
  expect(toJson(loop)).toEqual({ when: '1970-01-01T00:00:00.000Z', set: [1], fn: null, self: null });
});

test('what is no JSON, or no text at all, is undefined when it is only tried', () => {
  const bytes = (text: string) => Buffer.from(text);
  expect(tryParseJson('{"a":NaN}')).toEqual({ a: Number.NaN });
  expect(tryParseJson(bytes('[1]'))).toEqual([1]);
  expect(tryParseJson('')).toBe(undefined);
  expect(tryParseJson(bytes('{'))).toBe(undefined);
  expect(tryParseJson(Buffer.from([0x22, 0xff, 0x22]))).toBe(undefined);
});
