import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson, stringifyJson } from '../../base/index.ts';
import { type CutOptions, CutParser } from './cut-parser.ts';
import { Cuts } from './cuts.ts';
import { decodeInside, LiteralCounter, wholeBytes } from './literal.ts';

const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      null,
      true,
      1.5,
      -2e-7,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      12345678901234567890n,
      '',
      'a"b\\',
      '{[,:]}',
    ),
    fc.string({ unit: 'grapheme' }),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(
      fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', '$cut', '$more')),
      tie('value'),
      {
        maxKeys: 5,
      },
    ),
  ),
})).value;

function parse(text: string, portion: number, more: Partial<CutOptions> = {}) {
  const bytes = Buffer.from(text);
  const cuts = new Cuts();
  const places = {
    string: (start: number, size: number) => `s ${start} ${size}`,
    json: (start: number, size: number) => `j ${start} ${size}`,
  };
  const parser = new CutParser({ cuts, places, unitsMax: 1e9, ...more });
  for (let at = 0; at < bytes.length; at += portion) parser.push(bytes.subarray(at, at + portion));
  const value = parser.finish();
  const textAt = (at: string) => {
    const [, start, size] = at.split(' ').map(Number);
    return bytes.subarray(start, (start ?? 0) + (size ?? 0)).toString();
  };
  return { value, cuts, textAt };
}

describe('parsing with cuts', () => {
  test('however the bytes come, what is short is what it was', () => {
    const property = fc.property(
      json,
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      (value, portion, isPretty) => {
        const compact = stringifyJson(value);
        const text =
          isPretty && !/NaN|Infinity|\d{16}/.test(compact)
            ? JSON.stringify(JSON.parse(compact), null, 1)
            : compact;
        expect(parse(text, portion).value).toEqual(parseJson(text));
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  test('a long string is cut: its head is its beginning, its length is counted as JavaScript counts, and its place is its own', () => {
    const letters = fc.constantFrom('a', 'é', '€', '😀', '\n', '"', '\\', '\ud800', '\u0001');
    const property = fc.property(
      fc.array(letters, { minLength: 8_193, maxLength: 9_000 }),
      fc.integer({ min: 5, max: 5_000 }),
      fc.boolean(),
      (found, portion, isEscaped) => {
        const long = found.join('');
        const plain = JSON.stringify(long);
        const literal = isEscaped
          ? plain.replace(/[^\0-\x7f]/gu, (letter) =>
              JSON.stringify(
                [...letter]
                  .flatMap((one) => one.split(''))
                  .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
                  .join(''),
              )
                .slice(1, -1)
                .replaceAll('\\\\', '\\'),
            )
          : plain;
        const { value, cuts, textAt } = parse(`{"a":1,"b":[${literal},"after"]}`, portion);
        const { b } = value as { b: string[] };
        const cut = cuts.of(b[0] ?? '');
        expect(cut?.length).toBe(long.length);
        expect(long.startsWith(cut?.head ?? '?')).toBe(true);
        expect(cut?.head.length).toBeGreaterThanOrEqual(8_191);
        expect(JSON.parse(textAt(cut?.at ?? ''))).toBe(long);
        expect(b[1]).toBe('after');
      },
    );
    fc.assert(property, { numRuns: 60 });
  });

  test('a picture is cut to what kind it is', () => {
    const { cuts, value } = parse(JSON.stringify(`data:image/png;base64,${'A'.repeat(20_000)}`), 700);
    expect(cuts.settle(value)).toEqual({
      $cut: { head: 'data:image/png;base64,', length: 20_022, at: 's 0 20024' },
    });
  });

  test('of long lists and objects the rest is left out and counted; what comes after them is there', () => {
    const list = Array.from({ length: 500 }, (_, n) => `item ${n}`);
    const members = Object.fromEntries(list.map((item) => [item, { item }]));
    const text = stringifyJson({ list, members, output: 'all of it' });
    const { cuts, value, textAt } = parse(text, 33, {
      shareOf: (key) => (key === 'list' ? 100 : 500),
      unitsMax: 5_000,
    });
    const settled = cuts.settle(value) as { list: Json[]; members: Record<string, Json>; output: string };
    expect(settled.output).toBe('all of it');
    const rest = settled.list.at(-1) as { $cut: { items: number; at: string; length: number; head: string } };
    const kept = settled.list.slice(0, -1);
    expect(kept.length + rest.$cut.items).toBe(500);
    expect(JSON.parse(`[${textAt(rest.$cut.at)}]`)).toEqual(list.slice(kept.length));
    expect(textAt(rest.$cut.at).startsWith(rest.$cut.head)).toBe(true);
    const { $more, ...first } = settled.members as { $more: typeof rest };
    expect(Object.keys(first).length + $more.$cut.items).toBe(500);
    expect({ ...first, ...JSON.parse(`{${textAt($more.$cut.at)}}`) }).toEqual(members);
    expect($more.$cut.length).toBe(textAt($more.$cut.at).length);
  });

  test('what is full as a whole ends at its root, and what is nested too deeply ends there', () => {
    const whole = parse(stringifyJson({ a: 'x'.repeat(3_000), b: 'y', c: [1, 2] }), 100, { unitsMax: 1_000 });
    expect(whole.cuts.settle(whole.value)).toMatchObject({
      $more: { $cut: { items: 2, head: '"b":"y","c":[1,2]' } },
    });
    const deep = parse(`{"a":${'['.repeat(300)}"x"${']'.repeat(300)},"b":1}`, 50);
    const text = JSON.stringify(deep.cuts.settle(deep.value));
    expect(text).toContain('"items":1');
    expect(text.endsWith('"b":1}')).toBe(true);
  });

  test('keys of ours in somebody else’s data are told apart', () => {
    const { cuts, value } = parse(
      '{"$cut":{"head":"h","length":1,"at":"e0"},"$$cut":2,"$number":"NaN","$other":1}',
      9,
    );
    expect(cuts.settle(value)).toEqual({
      $$cut: { head: 'h', length: 1, at: 'e0' },
      $$$cut: 2,
      $$number: 'NaN',
      $other: 1,
    });
  });

  test.each(['{', '[1', '{"a" 1}', '{"a":1]', '[1 2]', '{1:2}', '[1,2}', '"a" 1', ''])(
    '%j is no JSON',
    (text) => {
      expect(() => parse(text, 2)).toThrow(SyntaxError);
    },
  );
});

describe('pieces of literals', () => {
  test('are decoded as far as they are whole, and joined they are the text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n', '\\', '"', '\ud83d', 'u') });
    const property = fc.property(text, fc.integer({ min: 7, max: 40 }), (found, size) => {
      const bytes = Buffer.from(JSON.stringify(found)).subarray(1, -1);
      let joined = '';
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + size);
        const whole = at + size >= bytes.length ? piece.length : wholeBytes(piece);
        joined += decodeInside(piece.subarray(0, whole));
        at += whole;
      }
      expect(joined).toBe(found);
      const counter = new LiteralCounter();
      expect(counter.count(bytes, 0)).toBe(-1);
      expect(counter.units).toBe(found.length);
    });
    fc.assert(property, { numRuns: 500 });
  });
});
