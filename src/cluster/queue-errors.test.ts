import { expect, test } from 'vitest';
import { explainQueueError } from './queue-errors.ts';
import { parseRedisAddress } from './redis-address.ts';

const address = parseRedisAddress('rediss://me:secret@host');

test.each([
  ['ReplyError', 'LOADING Redis is loading the dataset in memory', 'E_QUEUE_AWAY'],
  ['ReplyError', "READONLY You can't write against a read only replica.", 'E_QUEUE_AWAY'],
  ['ReplyError', 'NOAUTH Authentication required.', 'E_QUEUE_DENIED'],
  ['ReplyError', 'NOPERM this user has no permissions', 'E_QUEUE_DENIED'],
  ['ReplyError', 'MISCONF Errors writing to the AOF file: No space left on device', 'E_QUEUE_REFUSED'],
  ['Error', 'connect ETIMEDOUT', 'E_QUEUE_AWAY'],
])('%s: %s is told as %s', (name, message, code) => {
  const error = Object.assign(new Error(message), { name });
  expect(explainQueueError(error, address)).toMatchObject({ code, retryable: code === 'E_QUEUE_AWAY' });
});

test('E_QUEUE_REFUSED: a certificate that nobody vouches for is not asked for again and again', () => {
  const error = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(explainQueueError(error, address)).toMatchObject({ code: 'E_QUEUE_REFUSED', retryable: false });
});

test('of a transaction that was not begun it is told why', () => {
  const first = Object.assign(new Error('OOM command not allowed'), { name: 'ReplyError' });
  const error = Object.assign(new Error('EXECABORT Transaction discarded'), {
    name: 'ReplyError',
    previousErrors: [first],
  });
  expect(explainQueueError(error, address).message).toBe(
    'rediss://host:6379/0 cannot be used: OOM command not allowed.',
  );
});

test('a password that a server says again is not passed on', () => {
  const error = Object.assign(new Error('ERR wrong: AUTH me secret'), { name: 'ReplyError' });
  expect(explainQueueError(error, address).message).not.toContain('secret');
});
