import { expect, test } from 'vitest';
import { failureText } from './failure-text.ts';

const refused = Object.assign(
  new AggregateError(
    [new Error('connect ECONNREFUSED ::1:80'), new Error('connect ECONNREFUSED 127.0.0.1:80')],
    '',
  ),
  { code: 'ECONNREFUSED' },
);
const withBody = (message: string, responseBody: string) =>
  Object.assign(new Error(message), { responseBody });

test.each([
  ['one sentence', new Error('No such key.'), 'No such key.'],
  [
    'a cause behind it',
    new Error('fetch failed', { cause: new Error('socket hang up') }),
    'fetch failed: socket hang up',
  ],
  ['what is said twice', new Error('Cannot connect: x', { cause: new Error('x') }), 'Cannot connect: x'],
  [
    'an error for each address',
    new Error('Cannot connect to API: ', { cause: refused }),
    'Cannot connect to API: connect ECONNREFUSED ::1:80: connect ECONNREFUSED 127.0.0.1:80',
  ],
  [
    'what the server said',
    withBody('Not Found', '{"error":{"message":"model x not found"}}'),
    'Not Found: model x not found',
  ],
  ['an error as a text', withBody('Not Found', '{"error":"no \\"x\\" here"}'), 'Not Found: no "x" here'],
  ['a body of no kind', withBody('Bad Gateway', 'upstream is away'), 'Bad Gateway: upstream is away'],
  ['nothing to say', new Error(''), 'Error'],
  ['no error', 'oops', 'oops'],
  ['nothing at all', undefined, 'undefined'],
])('%s', (_, error, text) => {
  expect(failureText(error)).toBe(text);
});

test('causes that go round are told once', () => {
  const one = new Error('one');
  one.cause = new Error('two', { cause: one });
  expect(failureText(one)).toBe('one: two');
});
