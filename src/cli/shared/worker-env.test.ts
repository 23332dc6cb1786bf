import { expect, test } from 'vitest';
import { envOfRun } from './worker-env.ts';

const ENV = {
  ...{ PATH: '/bin', OPENAI_API_KEY: 'sk-a', ANTHROPIC_API_KEY: 'sk-b', HOLDFAST_QUEUE: 'redis://:secret@h' },
  AWS_SECRET_ACCESS_KEY: 'for the bucket',
};

test('the code of a run gets the keys that its models need, and no other, and never the queue', () => {
  expect(envOfRun(ENV, { run: 'r', keys: ['ANTHROPIC_API_KEY'] })).toEqual({
    ...{ PATH: '/bin', ANTHROPIC_API_KEY: 'sk-b', AWS_SECRET_ACCESS_KEY: 'for the bucket' },
  });
});

test('E_WORKER_KEY: a key that is missing is named before anything is taken', () => {
  const refusal = () => envOfRun({ OPENAI_API_KEY: '' }, { run: 'r', keys: ['OPENAI_API_KEY', 'OTHER'] });
  expect(refusal).toThrow(
    expect.objectContaining({
      code: 'E_WORKER_KEY',
      message: 'Run r needs OPENAI_API_KEY and OTHER, which this worker does not have.',
    }),
  );
});
