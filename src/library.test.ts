import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defineEval, exact, mockModel, openLog, runEval, verifyLog } from './index.ts';

let workDir: string;
beforeEach(async () => {
  workDir = await mkdtemp(join(tmpdir(), 'holdfast-library-'));
});
afterEach(() => rm(workDir, { recursive: true, force: true }));

const echo = defineEval({
  name: 'echo',
  data: [
    { id: 1, input: 'a', target: 'a' },
    { id: 2, input: 'b', target: 'c' },
  ],
  models: { 'mock/parrot': mockModel({ name: 'mock/parrot', respond: ({ text }) => text }) },
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [exact()],
  threshold: { accuracy: 0.9 },
});

test('an eval is run as a function, and again gives the same log', async () => {
  const seen: string[] = [];
  const observer = { onSampleEnd: ({ id }: { id: string | number }) => seen.push(String(id)) };
  const { account, results, missed } = await runEval(echo, { workDir, model: 'mock/parrot', observer });
  expect(account).toMatchObject({ state: 'done', target: 'mock/parrot', samples: { fresh: 2, lost: 0 } });
  expect(results?.scores[0]?.metrics.accuracy?.value).toBe(0.5);
  expect(missed).toEqual(['accuracy is 0.5, below 0.9']);
  expect(seen.sort()).toEqual(['1', '2']);
  const again = await runEval(echo, { workDir, model: 'mock/parrot' });
  expect(again.account).toMatchObject({ log: account.log, samples: { reused: 2 } });
});

test('its log is opened and checked by path', async () => {
  const { account } = await runEval(echo, { workDir, model: 'mock/parrot', logDir: 'elsewhere' });
  const log = await openLog(account.log ?? '');
  expect((await log.header()).eval.task).toBe('echo');
  expect(await log.samples()).toHaveLength(2);
  await log.close();
  expect(account.log).toContain(join(workDir, 'elsewhere'));
  expect((await verifyLog(account.log ?? '')).isWhole).toBe(true);
});

test('what is wrong is thrown', async () => {
  await expect(runEval(echo, { workDir, model: 'openai/gpt-5' })).rejects.toMatchObject({
    code: 'E_MODEL_KEY',
  });
});

test('an eval that wants a process for each sample is told that a function cannot give it one', async () => {
  const { account } = await runEval({ ...echo, isolate: true }, { workDir, model: 'mock/parrot' });
  expect(account.notes).toEqual([
    expect.stringMatching(/run in this process, although the eval says `isolate`/),
  ]);
});
