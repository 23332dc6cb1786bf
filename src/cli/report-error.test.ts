import { expect, test } from 'vitest';
import { UsageError } from '../base/index.ts';
import { errorJson } from './report-error.ts';

test('an error that nobody foresaw is our bug, and says so', () => {
  expect(errorJson(new TypeError('x is not a function'))).toMatchObject({
    code: 'E_INTERNAL',
    message: 'x is not a function',
    hint: expect.stringContaining('bug in Holdfast'),
  });
  expect(errorJson('a text that was thrown')).toMatchObject({ code: 'E_INTERNAL' });
});

test('an error that was foreseen keeps its code and its hint', () => {
  const error = new UsageError({ code: 'E_USAGE', message: 'No such option.', hint: 'See --help.' });
  expect(errorJson(error)).toMatchObject({
    code: 'E_USAGE',
    message: 'No such option.',
    hint: 'See --help.',
  });
});
