import { expect, test } from 'vitest';
import { isLogName, logFileName, type SampleFields, summarize } from './index.ts';

const fields: SampleFields = {
  id: 1,
  epoch: 2,
  input: 'q',
  target: ['a', 'b'],
  messages: [{ role: 'user', content: 'q' }],
  output: { choices: [] },
  metadata: {},
  store: {},
  model_usage: {},
  role_usage: {},
};

test('[LOG-8] long input and target are cut at 5120 code points and say so', () => {
  const emoji = '😀'.repeat(5_121);
  const summary = summarize({ ...fields, input: emoji, target: 'x'.repeat(5_120) });
  expect(summary.input).toBe(`${'😀'.repeat(5_120)}...\n(content truncated)`);
  expect(summary.target).toBe('x'.repeat(5_120));
});

test('[LOG-8] content that is not text becomes its kind', () => {
  const input = [
    {
      role: 'user' as const,
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', image: 'data:…' },
      ],
    },
  ];
  expect(summarize({ ...fields, input }).input).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'text', text: '(Image)' },
      ],
    },
  ]);
});

test('[LOG-8] metadata keeps scalars, shortens text to 1024 and drops large values', () => {
  const metadata = {
    n: 1,
    t: true,
    none: null,
    text: ' a \n b ',
    long: 'word '.repeat(500),
    small: [1],
    large: 'y'.repeat(2_000).split(''),
  };
  const thin = summarize({ ...fields, metadata }).metadata;
  expect(thin).toMatchObject({
    n: 1,
    t: true,
    none: null,
    text: 'a b',
    small: [1],
    large: 'Key removed from summary (> 1k)',
  });
  expect(thin.long).toMatch(/^(word )+word\.\.\.$/);
  expect((thin.long as string).length).toBeLessThanOrEqual(1_024);
});

test('[LOG-8] scores lose their history and long texts; errors, limits and retries shrink to a word', () => {
  const error = { message: 'boom', traceback: 't', traceback_ansi: 't' };
  const scores = { s: { value: 'C', explanation: 'z'.repeat(2_000), history: [1], metadata: { k: 'v' } } };
  const summary = summarize({
    ...fields,
    scores,
    error,
    error_retries: [error],
    limit: { type: 'token', limit: 5 },
  });
  expect(summary.scores).toEqual({
    s: { value: 'C', explanation: '...', history: [], metadata: { k: 'v' } },
  });
  expect(summary).toMatchObject({
    error: 'boom',
    retries: 1,
    limit: 'token',
    completed: true,
    message_count: 1,
  });
});

test('[LOG-7] a log is named by time, task and id, none of which can hold a separator', () => {
  const name = logFileName({ created: '2026-06-10T18:23:49+00:00', task: 'pack/my_task: a', taskId: 'abc' });
  expect(name).toBe('2026-06-10T18-23-49-00-00_my-task- a_abc.eval');
  expect(logFileName({ created: 'c', task: '../../etc', taskId: 'i' })).toBe('c_etc_i.eval');
  expect(
    Buffer.byteLength(
      logFileName({ created: '2026-06-10T18:23:49+00:00', task: 'ä'.repeat(500), taskId: 'x'.repeat(22) }),
    ),
  ).toBeLessThan(255);
});

test('[LOG-7] any .eval is a log by name; a .json only when it begins with a time', () => {
  expect(
    ['custom.eval', 'logs/2024-11-05T13-31-45-05-00_t_i.json', '2024-11-05T13:31:45_t_i.json'].every(
      isLogName,
    ),
  ).toBe(true);
  expect(['ignore.json', 'logs.json', '2024-11-05.json', 'eval', 'x.eval.tmp'].some(isLogName)).toBe(false);
});
