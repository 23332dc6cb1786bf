import { describe, expect, test } from 'vitest';
import { parseQuery, printQuery, type Wrong } from './index.ts';

describe('parseQuery', () => {
  test.each([
    ['eval:swe* status:ok', 'eval:swe* status:ok'],
    ['eval:a and target:b', 'eval:a target:b'],
    ['eval:a OR target:b', 'eval:a or target:b'],
    ['(a or b) c', '(a or b) c'],
    ['a or b c', 'a or b c'],
    ['not (a b)', '-(a b)'],
    ['-tag:ci', '-tag:ci'],
    ['not not a', 'a'],
    ['not (not a)', 'a'],
    ['-(-(a b))', 'a b'],
    ['score > 0.5', 'score>0.5'],
    ['score.accuracy>=.5', 'score.accuracy>=.5'],
    ['score."my score">0.5', 'score."my score">0.5'],
    ['tag:"two words"', 'tag:"two words"'],
    ['"say \\"hi\\""', '"say \\"hi\\""'],
    ['target:openai/gpt-5:free', 'target:openai/gpt-5:free'],
    ['experiment:""', 'experiment:""'],
    ['eval< =x*', 'eval< =x*'],
    ['score.a> =', 'score.a> ='],
    ['eval<"=x"', 'eval<"=x"'],
    ['eval = =x', 'eval==x'],
    ['eval:>=x eval<=x', 'eval:>=x eval<=x'],
    ['not - a', '-- a'],
    ['or>1 and."b c"=2', 'or>1 and."b c"=2'],
    ['android nothing', 'android nothing'],
    ['', ''],
    ['   ', ''],
  ])('%s is read as %s', (text, printed) => {
    const { query, wrong } = parseQuery(text);
    expect(wrong).toBeUndefined();
    expect(printQuery(query)).toBe(printed);
  });

  test.each([
    ['eval:', 0, 'needs a value', ''],
    ['a cost>', 2, 'needs a value', 'a'],
    ['eval:a (b', 7, 'not closed', 'eval:a b'],
    ['a) b', 1, 'closes none', 'a b'],
    ['a ()', 2, 'nothing between', 'a'],
    ['a "b', 2, 'not closed', 'a "b"'],
    ['a or', 2, 'beside "or"', 'a'],
    ['or a', 0, 'beside "or"', 'a'],
    ['a and', 2, 'beside "and"', 'a'],
    ['and a', 0, 'beside "and"', 'a'],
    ['a not', 2, 'Nothing follows', 'a'],
    ['1 >5 b', 2, 'a field is missing', '1 b'],
    ['cost: -a', 0, 'needs a value', '-a'],
  ])('%s: what is wrong is told with its place, and the rest holds', (text, at, message, left) => {
    const { query, wrong } = parseQuery(text);
    expect(wrong).toEqual<Wrong>({ at, message: expect.stringContaining(message) });
    expect(printQuery(query)).toBe(left);
  });

  test('what is nested too deeply is told, and overflows no stack', () => {
    const { wrong } = parseQuery(`${'('.repeat(100_000)}a${')'.repeat(100_000)}`);
    expect(wrong?.message).toContain('nested too deeply');
    expect(parseQuery(`${'-'.repeat(100_000)}a`).wrong).toBeUndefined();
  });
});
