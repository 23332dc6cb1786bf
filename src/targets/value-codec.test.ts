import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, stringifyJson } from '../base/index.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\ud800', 'a', '\udfff') }),
);
const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.double(),
  fc.bigInt(),
  anyText,
  fc.date({ noInvalidDate: false }),
  fc.uint8Array(),
  fc.webUrl().map((url) => new URL(url)),
);
const anyKey = fc.oneof(anyText, fc.constantFrom('$holdfast', '__proto__', 'value', 'constructor'));
const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(fc.oneof(tie('value'), fc.constant(undefined))),
    fc.array(fc.tuple(anyKey, tie('value'))).map((entries) => Object.fromEntries(entries)),
  ),
})).value;

test('[REP-2] any value comes back exactly after a trip through JSON text', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const text = stringifyJson(encodeValue(value));
      // Not `toStrictEqual`, which takes a key called `constructor` for the constructor.
      expect(isDeepStrictEqual(decodeValue(parseJson(text)), value)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test('encoding a second time changes nothing', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const once = encodeValue(value);
      expect(isDeepStrictEqual(encodeValue(decodeValue(once)), once)).toBe(true);
    }),
  );
});

test('plain JSON stays as it is, so that stored answers read well', () => {
  const value = { text: 'Paris', usage: { total: 3 }, list: [1, 'a', null, true] };
  expect(encodeValue(value)).toStrictEqual(value);
});

test('functions, symbols and absent values vanish, and a loop ends', () => {
  const loop: Record<string, unknown> = { call: () => 1, symbol: Symbol('s'), none: undefined, kept: 1 };
  loop.self = loop;
  expect(decodeValue(encodeValue(loop))).toEqual({ kept: 1, self: undefined });
});
