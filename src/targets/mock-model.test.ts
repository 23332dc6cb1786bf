import { expect, test } from 'vitest';
import { runTarget, testModels } from '../../test/sim/target-attempt.ts';
import { mockModel } from './mock-model.ts';

const saidBy = async (spec: Parameters<typeof runTarget>[0], input = 'Hello') =>
  (await runTarget(spec, { sample: { input } })).result.output;

test('mock/echo says what it was told, mock/fixed always the same', async () => {
  expect(await saidBy('mock/echo', 'Hé 👋')).toBe('Hé 👋');
  expect(await saidBy('mock/fixed:a: b/c')).toBe('a: b/c');
});

test('scripts answer by turn, or by what was asked', async () => {
  const byText = mockModel({ answers: { Hello: 'Hi', '*': 'What?' } });
  expect(await saidBy(byText)).toBe('Hi');
  expect(await saidBy(byText, 'toString')).toBe('What?');
  expect(await saidBy(mockModel({ answers: ['first', 'second'] }))).toBe('first');
});

test('it has usage and a price, so that demos can show money', async () => {
  const { attempt } = await runTarget('mock/echo', { sample: { input: 'x'.repeat(4_000) } });
  expect(attempt.meter.totals).toMatchObject({ tokens: 2_000 });
  expect(attempt.meter.totals.spentUsd).toBeCloseTo(0.006);
});

test('it can be slow, and be stopped', async () => {
  const slow = mockModel({ latencyMs: 60_000 });
  const run = runTarget(slow, { limits: { timeMs: 20 } });
  await expect(run).rejects.toMatchObject({ type: 'time' });
});

test('it can fail as often as the script says', async () => {
  const models = testModels({ retry: { retriesMax: 1 } });
  const failing = mockModel({ failures: [{ status: 503 }, { status: 503 }], answers: ['ok'] });
  await expect(runTarget(failing, { models })).rejects.toMatchObject({ code: 'E_MODEL_CALL', status: 503 });
  expect((await runTarget(failing, { models })).result.output).toBe('ok');
});
