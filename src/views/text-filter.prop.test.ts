import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mayHave, TextFilterMaker } from './text-filter.ts';

function filterOf(...texts: string[]) {
  const maker = new TextFilterMaker();
  for (const text of texts) maker.add(text);
  return maker.finish();
}

describe('[EXP-11] what a transcript cannot have', () => {
  test('whatever is in the text, in any case, is never said to be absent', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 8 });
    const property = fc.property(texts, fc.nat(), fc.nat(), fc.nat(), (all, which, from, length) => {
      const text = all[which % Math.max(1, all.length)] ?? '';
      const part = text.slice(from % (text.length + 1)).slice(0, length % 20);
      const filter = filterOf(...all);
      for (const asked of variants(part)) expect([asked, mayHave(filter, asked)]).toEqual([asked, true]);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test('letters that a search takes for one another are one letter', () => {
    for (let unit = 0; unit < 0xd800; unit += 1) {
      const letter = String.fromCharCode(unit);
      const others = variants(letter).filter((other) => other !== letter);
      if (others.length === 0) continue;
      const filter = filterOf(`ab${letter}`);
      expect([letter, others.filter((other) => !mayHave(filter, `AB${other}`))]).toEqual([letter, []]);
    }
  });

  test('what is not there is mostly said to be absent, and small texts have small filters', () => {
    const words = Array.from({ length: 400 }, (_, n) => `token${n * 7_919} says ${n * 104_729}`);
    const filter = filterOf(...words);
    const absent = Array.from({ length: 200 }, (_, n) => `nowhere-${n * 31}-xyzzy`);
    expect(absent.filter((text) => mayHave(filter, text))).toEqual([]);
    expect(filterOf('What is the capital of France?').bits.length).toBeLessThan(60);
    expect(filterOf('').bits.length).toBeLessThan(60);
  });

  test('what is shorter than three letters may be anywhere', () => {
    expect(mayHave(filterOf('abc'), 'zz')).toBe(true);
    expect(mayHave(filterOf('abc'), 'zzz')).toBe(false);
  });
});

/** As the search of transcripts sees a letter. */
function variants(text: string): readonly string[] {
  const [small, capital] = [text.toLowerCase(), text.toUpperCase()];
  const all = [text, small, capital, capital.toLowerCase(), small.toUpperCase()];
  const isSame = (other: string) =>
    other.length === text.length && Array.from(other).length === Array.from(text).length;
  return [...new Set(all.filter(isSame))];
}
