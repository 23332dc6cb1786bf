import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FixtureLog, fixtureFields, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import type { Json, JsonObject } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { openLog, type RunReader, readRunFromLog, type SampleFields } from '../log/index.ts';
import { type ComparedRun, type Comparison, compareRuns } from './compare-runs.ts';

const dir = useTempDir();
let count = 0;
beforeEach(() => {
  count = 0;
});

async function runOf(log: FixtureLog): Promise<{ readonly name: string; readonly reader: RunReader }> {
  const name = `run${++count}`;
  const path = await writeFixtureLog(nodeDisk, join(dir.path, `${name}.eval`), {
    ...log,
    spec: { run_id: name, ...log.spec },
  });
  return { name, reader: readRunFromLog(await openLog(nodeDisk, path)) };
}

async function compareLogs(logs: readonly FixtureLog[], options = {}): Promise<Comparison> {
  const runs = [];
  for (const log of logs) runs.push(await runOf(log));
  try {
    return await compareRuns(runs, options);
  } finally {
    for (const { reader } of runs) await reader.close();
  }
}

async function comparePair(before: FixtureLog, after: FixtureLog, options = {}): Promise<ComparedRun> {
  const { after: others } = await compareLogs([before, after], options);
  return others[0] as ComparedRun;
}

const sample = (id: string | number, value: Json, more: Partial<SampleFields> = {}) => ({
  fields: fixtureFields(id, { scores: { exact: { value } }, ...more }),
  events: [],
});
const samplesOf = (values: readonly Json[], more: Partial<SampleFields> = {}): FixtureLog => ({
  samples: values.map((value, index) => sample(`s${index}`, value, more)),
});
const errored = (id: string) =>
  sample(id, null, {
    scores: {},
    error: { message: 'it broke', traceback: '', traceback_ansi: '' },
  });

describe('verdicts', () => {
  test('six gained and none lost is better, and the other way round worse', async () => {
    const [low, high] = [
      samplesOf(['I', 'I', 'I', 'I', 'I', 'I', 'C']),
      samplesOf(['C', 'C', 'C', 'C', 'C', 'C', 'C']),
    ];
    expect(await comparePair(low, high)).toMatchObject({ verdict: 'better', scores: [{ p: 0.03125 }] });
    expect(await comparePair(high, low)).toMatchObject({ verdict: 'worse', scores: [{ p: 0.03125 }] });
  });

  test('five gained and none lost cannot be told from chance; what would decide is said', async () => {
    const usage = { m: { input_tokens: 5, output_tokens: 5, total_tokens: 10, total_cost: 0.5 } };
    const found = await comparePair(
      samplesOf(['I', 'I', 'I', 'I', 'I', 'C', 'C', 'C'], { model_usage: usage }),
      samplesOf(['C', 'C', 'C', 'C', 'C', 'C', 'C', 'C'], { model_usage: usage }),
    );
    expect(found).toMatchObject({ verdict: 'cannot tell', scores: [{ p: 0.0625, difference: 0.625 }] });
    const { wouldDecide } = found.scores[0] as ComparedRun['scores'][number];
    expect(wouldDecide).toMatchObject({
      moreEpochs: 1,
      isAtLeast: true,
      cost: { samples: 16, usd: 8, tokens: 160 },
    });
    expect(wouldDecide?.samples).toBeGreaterThan(8);
  });

  test('where a price is unknown, so is what deciding costs', async () => {
    const usage = { m: { input_tokens: 5, output_tokens: 5, total_tokens: 10 } };
    const found = await comparePair(
      samplesOf(['I', 'I', 'I', 'I', 'I', 'C'], { model_usage: usage }),
      samplesOf(['C', 'C', 'C', 'C', 'C', 'C'], { model_usage: usage }),
    );
    expect(found.scores[0]?.wouldDecide?.cost).toMatchObject({ usd: null });
    expect(found.spent.map(({ figure }) => figure)).toEqual(['tokens']);
  });

  test('of a scorer whose score should be low, lower is better', async () => {
    const [high, low] = [samplesOf([9, 8, 9, 8, 9, 8]), samplesOf([1, 2, 1, 2, 1, 2])];
    expect(await comparePair(high, low)).toMatchObject({ verdict: 'worse' });
    expect(await comparePair(high, low, { lower: ['exact'] })).toMatchObject({ verdict: 'better' });
  });

  test('cost, tokens and time: lower is better, and they do not decide about the run', async () => {
    const spending = (usd: number): FixtureLog => ({
      samples: Array.from({ length: 8 }, (_, index) =>
        sample(`s${index}`, 'C', {
          total_time: usd * 10,
          model_usage: {
            m: { input_tokens: 0, output_tokens: 0, total_tokens: usd * 100 + index, total_cost: usd },
          },
        }),
      ),
    });
    const found = await comparePair(spending(2), spending(1));
    expect(found.verdict).toBe('cannot tell');
    expect(found.spent).toMatchObject([
      { figure: 'cost', betterWhen: 'lower', verdict: 'better', before: 2, after: 1 },
      { figure: 'tokens', verdict: 'better' },
      { figure: 'time', verdict: 'better', difference: -10 },
    ]);
  });

  test('several scorers are judged together, so that one of many does not differ by chance', async () => {
    const log = (values: readonly Json[]): FixtureLog => ({
      samples: values.map((value, index) => ({
        fields: fixtureFields(`s${index}`, { scores: { one: { value }, two: { value: 'C' } } }),
        events: [],
      })),
    });
    const found = await comparePair(log(['I', 'I', 'I', 'I', 'I', 'I']), log(['C', 'C', 'C', 'C', 'C', 'C']));
    expect(found.scores[0]).toMatchObject({ p: 0.03125, pAdjusted: 0.0625, verdict: 'cannot tell' });
    const alone = await comparePair(
      log(['I', 'I', 'I', 'I', 'I', 'I']),
      log(['C', 'C', 'C', 'C', 'C', 'C']),
      {
        scorers: ['one'],
      },
    );
    expect(alone.scores).toMatchObject([{ figure: 'one', verdict: 'better' }]);
  });

  test('a run that is worse in one thing is worse, whatever else is better', async () => {
    const log = (one: string, two: string): FixtureLog => ({
      samples: Array.from({ length: 12 }, (_, index) => ({
        fields: fixtureFields(index, { scores: { one: { value: one }, two: { value: two } } }),
        events: [],
      })),
    });
    expect((await comparePair(log('C', 'I'), log('I', 'C'))).verdict).toBe('worse');
  });
});

describe('samples', () => {
  test('epochs of one sample are not samples of their own', async () => {
    const repeated = (value: Json): FixtureLog => ({
      samples: ['a', 'b', 'c'].flatMap((id) => [1, 2, 3, 4].map((epoch) => sample(id, value, { epoch }))),
    });
    const found = await comparePair(repeated('I'), repeated('C'));
    expect(found.scores[0]).toMatchObject({ samples: 3, pairs: 12, p: 0.25 });
    expect(found.verdict).toBe('cannot tell');
    expect(found.scores[0]?.flips).toHaveLength(12);
  });

  test('what only one side has is listed, and neither counted nor dropped', async () => {
    const before = {
      samples: [sample('a', 'C'), sample('b', 'C'), sample('c', 'C'), sample('c', 'I', { epoch: 2 })],
    };
    const after = { samples: [sample('c', 'C'), sample('d', 'I'), sample('b', 'C')] };
    const found = await comparePair(before, after);
    expect(found).toMatchObject({
      aligned: 2,
      onlyBefore: [
        { id: 'a', epoch: 1 },
        { id: 'c', epoch: 2 },
      ],
      onlyAfter: [{ id: 'd', epoch: 1 }],
      scores: [{ samples: 2, difference: 0 }],
    });
  });

  test('1 and "1" are one sample', async () => {
    const found = await comparePair({ samples: [sample(1, 'C')] }, { samples: [sample('1', 'I')] });
    expect(found).toMatchObject({ aligned: 1, onlyBefore: [], onlyAfter: [] });
    expect(found.scores[0]?.flips).toEqual([{ id: 1, epoch: 1, from: 'C', to: 'I', isBetter: false }]);
  });

  test('flips are listed first those that got worse, with what the log says', async () => {
    const found = await comparePair(samplesOf([true, 'I', 1, 0]), samplesOf([false, 'C', 1, 0]));
    expect(found.scores[0]).toMatchObject({ kind: 'pass/fail' });
    expect(found.scores[0]?.flips).toEqual([
      { id: 's0', epoch: 1, from: true, to: false, isBetter: false },
      { id: 's1', epoch: 1, from: 'I', to: 'C', isBetter: true },
    ]);
  });

  test('scores in every form: letters, booleans, numbers, texts of numbers, records and lists', async () => {
    const log = (value: Json): FixtureLog => ({ samples: [sample('a', value)] });
    const figures = async (before: Json, after: Json) =>
      (await comparePair(log(before), log(after))).scores.map(({ figure, before: a, after: b }) => [
        figure,
        a,
        b,
      ]);
    expect(await figures('P', 'C')).toEqual([['exact', 0.5, 1]]);
    expect(await figures('N', true)).toEqual([['exact', 0, 1]]);
    expect(await figures('0.25', 4)).toEqual([['exact', 0.25, 4]]);
    expect(await figures({ b: 1, a: 'C' }, { a: 'I', b: 3 })).toEqual([
      ['exact/a', 1, 0],
      ['exact/b', 1, 3],
    ]);
    expect(await figures([1, 2], [3, 4])).toEqual([
      ['exact[0]', 1, 3],
      ['exact[1]', 2, 4],
    ]);
  });

  test('what is not scored, and a text that says no number, is left out and counted, never 0', async () => {
    const found = await comparePair(
      samplesOf(['C', Number.NaN, 'maybe', 'C', null]),
      samplesOf(['C', 'C', 'C', 'C', 'C']),
    );
    expect(found.scores[0]).toMatchObject({ samples: 2, before: 1, leftOut: { unscored: 3, errored: 0 } });
  });

  test('an error is no score of 0: the sample is left out, listed, and counts as not completed', async () => {
    const before = samplesOf(['C', 'C', 'C']);
    const after = { samples: [errored('s0'), sample('s1', 'C'), sample('s2', 'C')] };
    const found = await comparePair(before, after);
    expect(found.scores[0]).toMatchObject({ samples: 2, difference: 0, leftOut: { errored: 1 } });
    expect(found.errors).toEqual([{ id: 's0', epoch: 1, after: 'it broke' }]);
    expect(found.completed).toMatchObject({ samples: 3, before: 1, difference: -1 / 3 });
    expect((await comparePair(before, before)).completed).toBeUndefined();
  });

  test('a run that fails where the other did not is worse, though what is left of it is as good', async () => {
    const ids = Array.from({ length: 12 }, (_, index) => `s${index}`);
    const found = await comparePair(
      { samples: ids.map((id) => sample(id, 'C')) },
      { samples: ids.map((id, index) => (index < 9 ? errored(id) : sample(id, 'C'))) },
    );
    expect(found).toMatchObject({ verdict: 'worse', completed: { verdict: 'worse' } });
    expect(found.scores[0]).toMatchObject({ samples: 3, difference: 0, verdict: 'cannot tell' });
  });

  test('what a stopped run did not finish is neither an error nor a score', async () => {
    const stopped = sample('s0', null, {
      scores: {},
      metadata: { holdfast: { interrupted: true } },
      error: { message: 'interrupted', traceback: '', traceback_ansi: '' },
    });
    const found = await comparePair(samplesOf(['C', 'C']), { samples: [stopped, sample('s1', 'C')] });
    expect(found).toMatchObject({ errors: [], run: { samples: { unfinished: 1, errored: 0 } } });
    expect(found.completed).toBeUndefined();
    expect(found.warnings).toEqual([
      expect.stringContaining('run2 is not finished: 1 sample under way or stopped'),
    ]);
  });
});

describe('where no sample differed', () => {
  const alike = (count: number) => samplesOf(Array.from({ length: count }, () => 'C'));

  test.each([6, 7, 20, 60])(
    'of %i samples, as many as it says are told when they go the same way, and one less is not',
    async (count) => {
      const { scores } = await comparePair(alike(count), alike(count));
      const { sameWay = 0, detectable } = scores[0]?.wouldDecide ?? {};
      expect([sameWay, detectable]).toEqual([6, 6 / count]);
      const failing = (some: number) =>
        samplesOf(Array.from({ length: count }, (_, n) => (n < some ? 'I' : 'C')));
      expect((await comparePair(alike(count), failing(sameWay))).verdict).toBe('worse');
      expect((await comparePair(alike(count), failing(sameWay - 1))).verdict).toBe('cannot tell');
    },
  );

  test('of several scores it takes more, because they are judged together', async () => {
    const both = (values: readonly string[]): FixtureLog => ({
      samples: values.map((value, index) =>
        sample(`s${index}`, 'C', { scores: { exact: { value }, tone: { value: 'C' } } }),
      ),
    });
    const all = Array.from({ length: 20 }, () => 'C');
    const { scores } = await comparePair(both(all), both(all));
    const { sameWay = 0 } = scores[0]?.wouldDecide ?? {};
    expect(sameWay).toBe(7);
    const failing = (some: number) => both(all.map((value, index) => (index < some ? 'I' : value)));
    expect((await comparePair(both(all), failing(sameWay))).verdict).toBe('worse');
    expect((await comparePair(both(all), failing(sameWay - 1))).verdict).toBe('cannot tell');
  });

  test('too few samples to tell of any difference are told as such, also where some differed', async () => {
    const { scores } = await comparePair(samplesOf(['C', 'I', 'C']), samplesOf(['I', 'C', 'C']));
    expect(scores[0]).toMatchObject({ difference: 0, wouldDecide: { sameWay: 6 } });
    expect(scores[0]?.wouldDecide?.detectable).toBeUndefined();
  });

  test('a share never has to differ by more than 1', async () => {
    const values = ['C', 'C', 'C', 'I', 'I', 'I'];
    const { scores } = await comparePair(samplesOf(values), samplesOf(values.toReversed()));
    expect(scores[0]?.difference).toBe(0);
    expect(scores[0]?.wouldDecide?.detectable ?? 0).toBeLessThanOrEqual(1);
  });

  test('of numbers it says how many, not how much', async () => {
    const numbers = samplesOf(Array.from({ length: 9 }, () => 0.5));
    const { scores } = await comparePair(numbers, numbers);
    expect(scores[0]?.wouldDecide).toEqual({ sameWay: 6 });
  });

  test('without a pair that could be compared nothing is said of what would decide', async () => {
    const { scores } = await comparePair(samplesOf([null, null]), samplesOf(['C', 'C']));
    expect(scores[0]?.samples).toBe(0);
    expect(scores[0]?.wouldDecide).toEqual({});
  });
});

test('a run beside itself, and beside a log that was made of it, is told', async () => {
  const log = (definition: string): FixtureLog => ({
    spec: { run_id: 'same', metadata: { holdfast: { definition, target: 't' } } },
  });
  expect((await comparePair(log('d'), log('d'))).warnings).toEqual([
    'this is the run same compared with itself',
  ]);
  const [first] = (await comparePair(log('d'), log('e'))).warnings;
  expect(first).toBe('both are logs of one run, same: its samples were run once');
});

describe('what differs besides', () => {
  const ours = (target: string, definition = 'd') => ({ holdfast: { target, definition } });
  const warned = async (before: FixtureLog['spec'], after: FixtureLog['spec']) =>
    (await comparePair({ spec: before ?? {} }, { spec: after ?? {} })).warnings;

  test('nothing is warned of where nothing differs', async () => {
    expect(await warned({ metadata: ours('t') }, { metadata: ours('t') })).toEqual([]);
  });

  test('dataset, scorers, their code, the prompt and the eval', async () => {
    expect(await warned({ dataset: { name: 'x' } }, { dataset: { name: 'y' } })).toEqual([
      'the dataset differs: x, then y',
    ]);
    expect(await warned({ scorers: [{ name: 'a' }] }, { scorers: [{ name: 'b' }] })).toEqual([
      'the scorers differ: a, then b',
    ]);
    expect(await warned({ metadata: ours('t', 'd') }, { metadata: ours('t', 'e') })).toEqual([
      'the scorers differ in their code, metrics or reducers',
    ]);
    expect(await warned({ metadata: ours('t') }, { metadata: ours('u') })).toEqual([
      'the target differs: its prompt, code, settings or inputs; the logs do not tell which',
    ]);
    expect(await warned({ solver_args: { prompt: 'a' } }, { solver_args: { prompt: 'b' } })).toEqual([
      'the parameters of the solver differ',
    ]);
    expect(await warned({ task_args: { n: 1 } }, { task_args: { n: 2 } })).toEqual([
      "the task's arguments differ",
    ]);
    expect(await warned({}, { model_generate_config: { temperature: 1 } })).toEqual([
      'the settings of the model differ',
    ]);
    expect(await warned({ metadata: ours('t') }, {})).toEqual([
      'one log is of another tool: whether their prompts are alike cannot be told',
    ]);
    expect(await warned({ task: 'x' }, { task: 'y' })).toEqual(['the eval differs: x, then y']);
    expect(await warned({ task_version: 1 }, { task_version: 2 })).toEqual([
      "the eval's version differs: 1, then 2",
    ]);
  });

  test('solvers of Inspect by their names; only what says something to the model is the prompt', async () => {
    const between = async (...plans: readonly (readonly [string, string])[][]) => {
      const [before, after] = plans.map((steps): FixtureLog => {
        const named = steps.map(([solver, text]) => ({ solver: `inspect_ai/${solver}`, params: { text } }));
        return { header: { plan: { name: 'plan', steps: named, config: {} } } };
      });
      const { changes } = await comparePair(before ?? {}, after ?? {});
      return changes.map(({ what, said }) => [what, said]);
    };
    expect(
      await between(
        [
          ['system_message', 'a'],
          ['generate', ''],
        ],
        [
          ['system_message', 'b'],
          ['generate', ''],
        ],
      ),
    ).toEqual([['prompt', 'the prompt differs: that of system_message']]);
    expect(await between([['generate', 'a']], [['generate', 'b']])).toEqual([
      ['solver', 'the parameters of generate differ'],
    ]);
    expect(await between([['generate', '']], [['basic_agent', '']])).toEqual([
      ['solver', 'the solvers differ: generate, then basic_agent'],
    ]);
  });

  test('what a digest is made of tells what of it differs, also between two models', async () => {
    const parts = { target: { model: 'm', prompt: 'p', code: 'c' }, scoring: { code: 'c', metrics: 'm' } };
    const log = (more: { target?: JsonObject; scoring?: JsonObject }, model = 'a'): FixtureLog['spec'] => {
      const { target, scoring } = { ...parts, ...more };
      const digests = { target: JSON.stringify(target), definition: JSON.stringify(scoring) };
      return { model, metadata: { holdfast: { ...digests, parts: { ...parts, ...more } } } };
    };
    const changed = async (more: object, model?: string) => {
      const { changes } = await comparePair({ spec: log({}) ?? {} }, { spec: log(more, model) ?? {} });
      return changes.map(({ said }) => said);
    };
    expect(
      await changed({ target: { ...parts.target, prompt: 'q' }, scoring: { code: 'd', metrics: 'n' } }),
    ).toEqual(['the code of the scorers differs', 'the metrics differ', 'the prompt differs']);
    expect(await changed({ target: { ...parts.target, model: 'n', code: 'd' } }, 'b')).toEqual([
      'model a, then b',
      'the code of the target differs',
    ]);
    expect(await changed({ target: { ...parts.target, planned: 'x' } })).toEqual([
      'the target differs (planned)',
    ]);
  });

  test('another model is what one compares, and no warning; so is other code', async () => {
    const revision = (commit: string) => ({ type: 'git', origin: '', commit, dirty: false });
    const found = await comparePair(
      { spec: { model: 'a', metadata: ours('t'), revision: revision('a'.repeat(40)) } },
      { spec: { model: 'b', metadata: ours('u'), revision: revision('b'.repeat(40)) } },
    );
    expect(found.warnings).toEqual([]);
    expect(found.changes.map(({ said }) => said)).toEqual([
      'model a, then b',
      'code aaaaaaaa, then bbbbbbbb',
    ]);
  });

  test('rows that were edited are seen by their content; new ids of messages are not', async () => {
    const asked = (input: SampleFields['input']) => samplesOf(['C', 'C'], { input });
    const message = (id: string, content: string) => [{ id, role: 'user', content }];
    const found = await comparePair(asked(message('1', 'one')), asked(message('2', 'two')));
    expect(found.warnings).toEqual(['the dataset differs: 2 of 2 samples have another input or target']);
    expect((await comparePair(asked(message('1', 'one')), asked(message('2', 'one')))).warnings).toEqual([]);
  });

  test('runs without a sample in common cannot be told apart, and that is said', async () => {
    const found = await comparePair({ samples: [sample('a', 'C')] }, { samples: [sample('b', 'C')] });
    expect(found).toMatchObject({ verdict: 'cannot tell', scores: [], aligned: 0 });
    expect(found.warnings).toContain('the runs have no sample in common');
  });
});

test('each of several runs is compared with the first', async () => {
  const found = await compareLogs([
    samplesOf(['I', 'I', 'I', 'I', 'I', 'I']),
    samplesOf(['C', 'C', 'C', 'C', 'C', 'C']),
    samplesOf(['I', 'I', 'I', 'I', 'I', 'I']),
  ]);
  expect(found.before.name).toBe('run1');
  expect(found.after.map(({ run, verdict }) => [run.name, verdict])).toEqual([
    ['run2', 'better'],
    ['run3', 'cannot tell'],
  ]);
});

test('one run, seven runs and a scorer that nobody has are refused', async () => {
  const log = samplesOf(['C']);
  await expect(compareLogs([log])).rejects.toMatchObject({ code: 'E_COMPARE_COUNT' });
  await expect(compareLogs([log, log, log, log, log, log, log])).rejects.toMatchObject({
    code: 'E_COMPARE_COUNT',
  });
  await expect(compareLogs([log, log], { scorers: ['exakt'] })).rejects.toMatchObject({
    code: 'E_COMPARE_SCORER',
    hint: 'There are exact.',
  });
});
