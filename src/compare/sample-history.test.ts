import { describe, expect, test } from 'vitest';
import { digestOf, type Json } from '../base/index.ts';
import type { RunIdentity } from './run-identity.ts';
import { type SamplePoint, sampleHistory } from './sample-history.ts';

let count = 0;

/** What the digests are made of, with one part that is another. */
function partsWith(target: Readonly<Record<string, string>> = {}) {
  return { target: { prompt: 'p', code: 'c', inputs: 'i', ...target }, scoring: {} };
}

function point(values: readonly Json[], identity: Partial<RunIdentity> = {}, row = 1): SamplePoint {
  const run = `run${++count}`;
  return {
    run,
    start: '2026-01-01T00:00:00Z',
    identity: {
      eval: 'e',
      version: '0',
      model: 'm',
      commit: digestOf(run),
      isDirty: false,
      dataset: 'd',
      scorers: 's',
      definition: 'd',
      target: 't',
      parts: partsWith(),
      steps: [{ solver: 'model', params: digestOf('') }],
      taskArgs: digestOf(''),
      modelSettings: digestOf(''),
      limits: '',
      ...identity,
    },
    epochs: values.map((value, index) => ({
      id: 'a',
      epoch: index + 1,
      state: value === 'error' ? 'errored' : 'completed',
      figures: new Map(value === 'error' ? [] : [['exact', value]]),
      usd: 0,
      tokens: 0,
      seconds: 1,
      row,
    })),
  };
}

const outcomes = (points: readonly SamplePoint[]) => sampleHistory(points).runs.map(({ outcome }) => outcome);

test('a sample passes, fails, does both, breaks, is not scored, or has a number', () => {
  const all = [
    point(['C', true, 1]),
    point(['I']),
    point(['C', 'I']),
    point(['error']),
    point([null]),
    point([0.5, 1]),
  ];
  expect(outcomes(all)).toEqual(['pass', 'fail', 'mixed', 'error', 'unscored', 0.75]);
});

test('a sample that never changed is stable', () => {
  expect(sampleHistory([point(['C']), point(['C']), point([null]), point(['C'])])).toMatchObject({
    state: 'stable',
  });
});

describe('a flip is by what changed there', () => {
  test.each([
    ['target', { target: 'other' }],
    ['scorer', { definition: 'other' }],
    ['model', { model: 'n', target: 'other' }],
    ['settings', { modelSettings: digestOf('warm') }],
    ['prompt', { target: 'other', parts: partsWith({ prompt: 'q' }) }],
    ['code', { target: 'other', parts: partsWith({ code: 'q' }) }],
    ['inputs', { target: 'other', parts: partsWith({ inputs: 'q' }) }],
  ] as const)('%s', (what, changed) => {
    const found = sampleHistory([point(['C']), point(['C']), point(['I'], changed), point(['I'], changed)]);
    expect(found.state).toBe('flipped');
    const [flip, ...others] = found.runs.flatMap((run) => run.flip ?? []);
    expect(others).toEqual([]);
    expect(found.runs[2]?.flip).toBe(flip);
    // And by nothing else, but for the commit: what is not known to be the prompt is not called so.
    expect(flip?.changes.map((change) => change.what)).toEqual([what, 'commit']);
  });

  test('the sample’s own row', () => {
    const found = sampleHistory([point(['C']), point(['I'], {}, 2)]);
    expect(found.state).toBe('flipped');
    expect(found.runs[1]?.flip?.changes.at(-1)).toMatchObject({ what: 'dataset' });
  });

  test('the commit, where no digest tells what of it this eval uses', () => {
    const unknown = (value: Json): SamplePoint => {
      const { identity, ...rest } = point([value]);
      const { target: _, ...others } = identity;
      return { ...rest, identity: others };
    };
    expect(sampleHistory([unknown('C'), unknown('I')])).toMatchObject({ state: 'flipped' });
  });

  test('a run in which it was not scored is passed over', () => {
    const found = sampleHistory([point(['C']), point([null]), point(['I'], { target: 'u' })]);
    expect(found.runs[2]?.flip).toMatchObject({ from: 'pass' });
  });
});

describe('a flaky one is told apart', () => {
  test('by epochs that disagree', () => {
    expect(sampleHistory([point(['C', 'I'])])).toMatchObject({
      state: 'flaky',
      because: expect.stringContaining('its epochs disagree'),
    });
  });

  test('by a flip although nothing changed that this eval uses: another commit is no reason', () => {
    expect(sampleHistory([point(['C']), point(['I'])])).toMatchObject({
      state: 'flaky',
      because: expect.stringContaining('although nothing changed'),
    });
  });

  test('by another outcome than in an earlier run of the same, whatever was run between them', () => {
    const found = sampleHistory([point(['C']), point(['I'], { target: 'u' }), point(['I'])]);
    expect(found).toMatchObject({ state: 'flaky', because: expect.stringMatching(/since run run\d+$/) });
  });

  test('and not by flips that something explains, however many there are', () => {
    const edited = ['C', 'I', 'C', 'I', 'C'].map((value, index) => point([value], { target: String(index) }));
    expect(sampleHistory(edited)).toMatchObject({ state: 'flipped' });
  });
});

describe('two models in turn', () => {
  const inTurn = (values: readonly string[]) =>
    values.map((value, index) => point([value], index % 2 === 0 ? {} : { model: 'n', target: 'u' }));

  test('that are each stable are no flaky sample: it flips once, where the second model comes in', () => {
    const found = sampleHistory(inTurn(['C', 'I', 'C', 'I', 'C', 'I']));
    expect(found.state).toBe('flipped');
    expect(found.runs.map(({ flip }) => flip?.changes[0]?.what)).toEqual([
      undefined,
      'model',
      ...Array(4).fill(undefined),
    ]);
  });

  test('of which one is not stable are one', () => {
    expect(sampleHistory(inTurn(['C', 'I', 'C', 'C', 'C', 'I']))).toMatchObject({ state: 'flaky' });
  });

  test('a flip is told against the last run on the same model', () => {
    const found = sampleHistory([...inTurn(['C', 'I']), point(['I'], { target: 'edited' })]);
    expect(found.runs[2]?.flip).toMatchObject({ from: 'pass', since: found.runs[0]?.run });
  });
});

test('another scorer can be asked for; the first is the default', () => {
  const both = point(['C']);
  const epochs = both.epochs.map((one) => ({
    ...one,
    figures: new Map<string, Json>([
      ['exact', 'C'],
      ['tone', 'I'],
    ]),
  }));
  expect(sampleHistory([{ ...both, epochs }])).toMatchObject({
    figure: 'exact',
    runs: [{ outcome: 'pass' }],
  });
  expect(sampleHistory([{ ...both, epochs }], 'tone')).toMatchObject({
    figure: 'tone',
    runs: [{ outcome: 'fail' }],
  });
});
