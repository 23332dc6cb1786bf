import { describe, expect, test } from 'vitest';
import { createCallWatch } from './call-watch.ts';
import { readFailure } from './retry.ts';

const failure = (status: number) => ({
  ...readFailure(Object.assign(new Error('no'), { statusCode: status }), 0),
  reason: `HTTP ${status}: no`,
});

describe('[CALL-2] calls that all fail', () => {
  test('ten alike stop the run, with the cause; nine do not', () => {
    const calls = createCallWatch();
    for (let count = 1; count <= 9; count++) calls.failed('openai/x', failure(401));
    expect(calls.stop.aborted).toBe(false);
    calls.failed('openai/x', failure(401));
    expect(calls.stop.reason).toMatchObject({
      code: 'E_CALLS_FAIL',
      message: expect.stringContaining(
        'openai/x all failed in the same way, so no more are made: HTTP 401: no',
      ),
    });
  });

  test('whoever counts the calls of several processes decides instead, and is told each failure', () => {
    const calls = createCallWatch();
    const heard: unknown[] = [];
    calls.onCall = (call) => heard.push(call);
    for (let count = 1; count <= 12; count++) calls.failed('openai/x', failure(401));
    expect([calls.stop.aborted, heard.length]).toEqual([false, 12]);
  });

  test.each([
    ['an answer', (calls: ReturnType<typeof createCallWatch>) => calls.answered('openai/y')],
    [
      'another failure',
      (calls: ReturnType<typeof createCallWatch>) => calls.failed('openai/x', failure(400)),
    ],
    ['another model', (calls: ReturnType<typeof createCallWatch>) => calls.failed('openai/y', failure(401))],
  ])('%s among the first ten, and they never do', (_, happens) => {
    const calls = createCallWatch();
    for (let count = 1; count <= 5; count++) calls.failed('openai/x', failure(401));
    happens(calls);
    for (let count = 1; count <= 30; count++) calls.failed('openai/x', failure(401));
    expect(calls.stop.aborted).toBe(false);
  });
});
