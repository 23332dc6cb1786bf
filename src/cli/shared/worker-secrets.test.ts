import { expect, test } from 'vitest';
import { secretsOf, workerRedactor } from './worker-secrets.ts';

test('secret is what is named as a key, and what has the name of one', () => {
  const env = {
    OPENAI_API_KEY: 'sk-1',
    MY_TOKEN: 'token',
    DOOR: 'open',
    HOME: '/home/a',
    PASSWORD: undefined,
  };
  expect(secretsOf(env, [])).toEqual(['sk-1', 'token']);
  expect(secretsOf(env, ['DOOR'])).toEqual(['sk-1', 'token', 'open']);
});

test('a key of several lines is taken out of each of them', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nshort\n-----END PRIVATE KEY-----';
  const { redact } = workerRedactor({ SIGNING_KEY: key });
  expect(redact('said MIIEvQIBADANBgkqhkiG9w0BAQEF last')).toBe('said [redacted] last');
  expect(redact(`said ${key} last, in short`)).toBe('said [redacted] last, in short');
});
