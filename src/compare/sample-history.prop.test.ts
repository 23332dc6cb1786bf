/** What is said of a sample is about the sample: not about which other models were run beside it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, type Json } from '../base/index.ts';
import { type SamplePoint, sampleHistory } from './sample-history.ts';

interface Run {
  readonly model: string;
  readonly target: string;
  readonly values: readonly Json[];
}

function pointOf({ model, target, values }: Run, run: string): SamplePoint {
  return {
    run,
    start: '2026-01-01T00:00:00Z',
    identity: {
      eval: 'e',
      version: '0',
      model,
      commit: run,
      isDirty: false,
      dataset: 'd',
      scorers: 's',
      definition: 'd',
      target: `${model} ${target}`,
      steps: [],
      taskArgs: digestOf(''),
      modelSettings: digestOf(''),
      limits: '',
    },
    epochs: values.map((value, index) => ({
      id: 'a',
      epoch: index + 1,
      state: 'completed',
      figures: new Map([['exact', value]]),
      usd: 0,
      tokens: 0,
      seconds: 1,
      row: 1,
    })),
  };
}

const value = fc.constantFrom<Json>('C', 'I', null);
const runs = fc.array(
  fc.record({
    model: fc.constantFrom('m', 'n'),
    target: fc.constantFrom('one', 'two'),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  { maxLength: 8 },
);
const historyOf = (all: readonly Run[]) => sampleHistory(all.map((run, index) => pointOf(run, `r${index}`)));

test('runs on one more model, on which it is stable, never make it flaky, nor any less so', () => {
  const places = fc.array(fc.nat({ max: 8 }), { maxLength: 6 });
  fc.assert(
    fc.property(runs, places, fc.constantFrom<Json>('C', 'I'), (all, at, outcome) => {
      const more: Run[] = [...all];
      for (const place of at) more.splice(place, 0, { model: 'stable', target: 'one', values: [outcome] });
      expect(historyOf(more).state === 'flaky').toBe(historyOf(all).state === 'flaky');
    }),
  );
});

test('a sample with one outcome for each target is never flaky, in whatever order they are run', () => {
  const outcomes = fc.record({ one: fc.constantFrom('C', 'I'), two: fc.constantFrom('C', 'I') });
  fc.assert(
    fc.property(runs, outcomes, (all, outcomeOn) => {
      const settled = all.map((run) => ({ ...run, values: [outcomeOn[run.target as 'one' | 'two']] }));
      expect(historyOf(settled).state).not.toBe('flaky');
    }),
  );
});

test('the order of epochs does not matter', () => {
  fc.assert(
    fc.property(runs, (all) => {
      const turned = all.map((run) => ({ ...run, values: run.values.toReversed() }));
      const [{ state }, other] = [historyOf(all), historyOf(turned)];
      expect(other.state).toBe(state);
    }),
  );
});
