import { expect, test } from 'vitest';
import { openQueue } from './open-queue.ts';
import { parseRedisAddress } from './redis-address.ts';

test.each([
  ['redis://host', { host: 'host', port: 6379, db: 0, isTls: false, prefix: 'holdfast' }],
  ['redis://host/', { host: 'host', db: 0 }],
  ['rediss://me:p%40ss@host:7000/3', { username: 'me', password: 'p@ss', port: 7000, db: 3, isTls: true }],
  ['redis://:word@[::1]:7000', { host: '::1', username: undefined, password: 'word' }],
  ['redis://host?prefix=team-a', { prefix: 'team-a', shown: 'redis://host:6379/0?prefix=team-a' }],
])('%s is an address', (given, expected) => {
  expect(parseRedisAddress(given)).toMatchObject(expected);
});

test('what is shown of an address has neither user nor password in it', () => {
  expect(parseRedisAddress('rediss://me:secret@host:7000/3').shown).toBe('rediss://host:7000/3');
});

test.each([
  'redis://',
  'redis:host',
  'redis://host/x',
  'redis://host/1/2',
  'redis://host?db=3',
  'redis://host?prefix=a:b',
  'redis://host?prefix=',
  'redis://host#x',
  'redis://host:port',
])('E_QUEUE_URL: %s is refused', (given) => {
  expect(() => parseRedisAddress(given)).toThrow(expect.objectContaining({ code: 'E_QUEUE_URL' }));
});

test.each([
  'redis://me:very#secret@host',
  'redis://me:very/secret@host',
  'redis://me:very%secret@host',
  'redis://:very@secret@host/x',
  'redis://me:very?secret@host',
])('E_QUEUE_URL: of a password that is not encoded nothing is said again (%s)', (given) => {
  expect(() => parseRedisAddress(given)).toThrow(
    expect.objectContaining({ code: 'E_QUEUE_URL', message: expect.not.stringMatching(/very|secret/) }),
  );
});

test('E_QUEUE_UNSUPPORTED: other engines are named as such, and no password is said', async () => {
  await expect(openQueue('amqp://me:secret@host')).rejects.toMatchObject({
    code: 'E_QUEUE_UNSUPPORTED',
    message: expect.not.stringContaining('secret'),
  });
});
