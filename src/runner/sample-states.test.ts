import { expect, test } from 'vitest';
import { digestOf } from '../base/index.ts';
import { makePlan } from './plan.ts';
import { SampleStates } from './sample-states.ts';

function planOf(...ids: readonly string[]) {
  return makePlan({
    eval: 'e',
    version: '1',
    targetName: 't',
    target: digestOf('t'),
    scoring: digestOf('s'),
    definition: digestOf('d'),
    epochs: 1,
    rows: { count: ids.length, ids, contentDigest: (index) => digestOf(String(index)) },
  });
}

const ALL = () => true;

test('counting is a set: what is said of a sample twice, or of one that is not planned, does not count again', () => {
  const states = new SampleStates(planOf('a', 'b', 'c'));
  expect(states.mark('a_epoch_1', 'kept')).toBe(true);
  expect(states.mark('a_epoch_1', 'kept')).toBe(false);
  expect(states.mark('a_epoch_1', 'reused')).toBe(false);
  expect(states.mark('stray_epoch_1', 'kept')).toBe(false);
  expect(states.mark('b_epoch_1', 'reused')).toBe(true);
  expect([states.kept, states.reused]).toEqual([1, 1]);
  expect(states.counts(ALL)).toMatchObject({ planned: 3, kept: 1, reused: 1, remaining: 1, lost: 0 });
});

test('the last end of a sample counts, and what was counted and is not there is lost', () => {
  const plan = planOf('a', 'b');
  const states = new SampleStates(plan);
  const [a, b] = plan.samples;
  if (!a || !b) throw new Error('the plan is empty');
  states.markEnd(a, 'fresh', 'errored');
  expect(states.counts(ALL)).toMatchObject({ fresh: 1, errored: 1, remaining: 1, lost: 0 });
  states.markEnd(a, 'rerun', 'completed');
  states.markEnd(b, 'fresh', 'completed');
  expect(states.counts(ALL)).toMatchObject({ fresh: 1, rerun: 1, errored: 0, remaining: 0, lost: 0 });
  expect(states.counts((name) => name !== 'b_epoch_1')).toMatchObject({ fresh: 1, rerun: 1, lost: 1 });
});
