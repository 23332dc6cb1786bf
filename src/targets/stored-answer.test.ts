import { expect, test } from 'vitest';
import { DamageError, type Json } from '../base/index.ts';
import { readHttpAnswer, readModelAnswer, readResponse } from './stored-answer.ts';

const ANSWER = {
  content: [{ type: 'text', text: 'hi' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  warnings: [],
};

test('a stored answer is read as it was written', () => {
  expect(readModelAnswer({ answer: ANSWER, timeS: 1.5, retries: 0 })).toEqual({
    answer: ANSWER,
    timeS: 1.5,
    retries: 0,
  });
  expect(readHttpAnswer({ status: 200, headers: { a: 'b' }, body: 'x' })).toEqual({
    status: 200,
    headers: { a: 'b' },
    body: 'x',
  });
  const response = { status: 200, statusText: 'OK', headers: {}, body: 'x' };
  expect(readResponse(response)).toEqual(response);
  expect(readResponse({ ...response, body: null }).body).toBeNull();
  expect(readResponse({ ...response, body: { $holdfast: 'bytes', value: 'AP8=' } }).body).toEqual(
    new Uint8Array([0, 255]),
  );
});

test.each<Json>([
  null,
  'text',
  [],
  {},
  { answer: null, timeS: 1, retries: 0 },
  { answer: { ...ANSWER, content: 'hi' }, timeS: 1, retries: 0 },
  { answer: ANSWER, timeS: '1', retries: 0 },
  { answer: ANSWER, timeS: 1 },
])('what is no model answer is never replayed: %j', (value) => {
  expect(() => readModelAnswer(value)).toThrow(DamageError);
  expect(() => readModelAnswer(value)).toThrow(expect.objectContaining({ code: 'E_ANSWER_UNREADABLE' }));
});

test.each<Json>([null, 'text', {}, { status: '200', body: 'x' }, { status: 200 }, { status: 200, body: 1 }])(
  'what is no HTTP answer is never replayed: %j',
  (value) => {
    for (const read of [readHttpAnswer, readResponse])
      expect(() => read(value)).toThrow(expect.objectContaining({ code: 'E_ANSWER_UNREADABLE' }));
  },
);
