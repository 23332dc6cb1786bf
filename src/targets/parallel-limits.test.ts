/** Limits of a sample whose calls are made at the same time, seen from a server that counts what it answered. */
import { expect, test } from 'vitest';
import { chatCompletion } from '../../test/sim/chat-server.ts';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import { createGenerate } from './generate.ts';

/** Ten questions at once; gives what became of each. */
async function askTen(url: string, attempt: ReturnType<typeof startAttempt>) {
  const models = testModels();
  const model = await models.open(`openai-compatible/m@${url}`);
  const generate = createGenerate({ models, scope: attempt.scope, model });
  return Promise.allSettled(Array.from({ length: 10 }, (_, n) => generate(`Question ${n}`)));
}

test('ten calls at once under a turn limit of five: five are served, and all five are kept', async () => {
  await using server = await startServer((request, response) =>
    sendJson(response, chatCompletion(request, 'yes')),
  );
  using attempt = startAttempt({ limits: { turns: 5 } });
  const ends = await askTen(server.url, attempt);
  expect(server.requests).toHaveLength(5);
  expect(attempt.recorder.exchanges).toHaveLength(5);
  expect(ends.map(({ status }) => status === 'fulfilled')).toEqual([
    ...Array<boolean>(5).fill(true),
    ...Array<boolean>(5).fill(false),
  ]);
  expect(attempt.meter.exceeded?.toSampleLimit()).toEqual({ type: 'turn', limit: 5 });
});

test('the place of a call that fails goes to the next', async () => {
  await using server = await startServer((request, response) =>
    request.body.includes('Question 1')
      ? sendJson(response, { error: { message: 'no' } }, 400)
      : sendJson(response, chatCompletion(request, 'yes')),
  );
  using attempt = startAttempt({ limits: { turns: 5 } });
  const ends = await askTen(server.url, attempt);
  expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(server.requests).toHaveLength(6);
});

test('calls at once that were interrupted in the middle end, when they are resumed, where they would have ended', async () => {
  const stop = new AbortController();
  const answered: string[] = [];
  await using server = await startServer((request, response) => {
    const question = /Question \d/.exec(request.body)?.[0] ?? '';
    // The first time only two of five are answered, then somebody presses Ctrl-C.
    const isSlow = !stop.signal.aborted && !['Question 1', 'Question 3'].includes(question);
    if (isSlow) return;
    answered.push(question);
    sendJson(response, chatCompletion(request, `${question}: yes`));
  });
  using first = startAttempt({ limits: { turns: 5 }, signal: stop.signal });
  const interrupted = askTen(server.url, first);
  await expect.poll(() => first.recorder.exchanges.length).toBe(2);
  stop.abort(new Error('Ctrl-C'));
  await interrupted;

  using second = startAttempt({ limits: { turns: 5 }, earlier: first.recorder.exchanges });
  const ends = await askTen(server.url, second);
  expect(ends.flatMap((end) => (end.status === 'fulfilled' ? end.value.text : []))).toEqual(
    [0, 1, 2, 3, 4].map((n) => `Question ${n}: yes`),
  );
  expect(answered.sort()).toEqual([0, 1, 2, 3, 4].map((n) => `Question ${n}`));
  expect(second.meter.totals).toMatchObject({ turns: 5, boughtCalls: 3, replayedCalls: 2 });
  expect(second.meter.exceeded?.toSampleLimit()).toEqual({ type: 'turn', limit: 5 });
});
