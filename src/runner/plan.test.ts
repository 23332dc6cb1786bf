import { expect, test } from 'vitest';
import { type Digest, digestOf, type SampleId } from '../base/index.ts';
import { makePlan, type PlanInput } from './plan.ts';

const input = (more: Partial<PlanInput> = {}): PlanInput => ({
  eval: 'e',
  version: '0',
  targetName: 'openai/x',
  target: 't' as Digest,
  scoring: 's' as Digest,
  definition: 'd' as Digest,
  epochs: 1,
  rows: rowsOf([1, 'b']),
  ...more,
});

function rowsOf(ids: readonly SampleId[], content = 'row'): PlanInput['rows'] {
  return { count: ids.length, ids, contentDigest: (index) => digestOf(`${content} ${ids[index]}`) };
}

test('the content key covers all that decides a result, and the plan all its keys', () => {
  const plans = [
    input(),
    input({ eval: 'f' }),
    input({ targetName: 'openai/y' }),
    input({ target: 'other' as Digest }),
    input({ scoring: 'other' as Digest }),
    input({ rows: rowsOf([1, 'b'], 'changed') }),
  ].map(makePlan);
  expect(new Set(plans.map(({ samples }) => samples[0]?.key)).size).toBe(plans.length);
  expect(new Set(plans.map(({ digest }) => digest)).size).toBe(plans.length);
  expect(makePlan(input()).digest).toBe(plans[0]?.digest);
});

test('what is asked does not depend on who scores it, and the plan alone on how numbers are made', () => {
  const [plan, scored, reported] = [
    input(),
    input({ scoring: 'other' as Digest }),
    input({ definition: 'other' as Digest }),
  ].map(makePlan);
  expect(scored?.samples[0]?.asked).toBe(plan?.samples[0]?.asked);
  expect(reported?.samples[0]?.key).toBe(plan?.samples[0]?.key);
  expect(reported?.digest).not.toBe(plan?.digest);
});

test('the order of rows does not change the plan, and every sample is found by its name', () => {
  const plan = makePlan(input({ epochs: 2 }));
  expect(makePlan(input({ epochs: 2, rows: rowsOf(['b', 1]) })).digest).toBe(plan.digest);
  expect(plan.samples.map(({ id, epoch }) => `${id} ${epoch}`)).toEqual(['1 1', 'b 1', '1 2', 'b 2']);
  for (const { position } of plan.samples) expect(plan.positionOf(plan.nameAt(position))).toBe(position);
  expect(plan.positionOf('c_epoch_1')).toBeUndefined();
});
