import { expect, test } from 'vitest';
import type { ModelRequest } from './language-model.ts';
import { digestOfModelRequest } from './request-digest.ts';

const request: ModelRequest = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] };

test('[REP-1] an answer of another model, or of another endpoint, is another answer', () => {
  const digests = [
    digestOfModelRequest('openai/gpt-5', null, request),
    digestOfModelRequest('openai/gpt-5-mini', null, request),
    digestOfModelRequest('openai/gpt-5', { baseUrl: 'http://127.0.0.1:1/v1' }, request),
    digestOfModelRequest('openai/gpt-5', { baseUrl: 'http://127.0.0.1:2/v1' }, request),
    digestOfModelRequest('openai/gpt-5', null, { ...request, seed: 1 }),
  ];
  expect(new Set(digests).size).toBe(digests.length);
});

test('[REP-1] how a request is sent does not make it another one', () => {
  const sent = { ...request, headers: { 'x-trace': '1' }, abortSignal: new AbortController().signal };
  expect(digestOfModelRequest('openai/gpt-5', null, sent)).toBe(
    digestOfModelRequest('openai/gpt-5', null, request),
  );
});
