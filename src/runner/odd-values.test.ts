import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineEval, type Scorer, scorer } from '../evals/index.ts';
import { verifyLog } from '../log/index.ts';
import { type LanguageModel, mockModel } from '../targets/index.ts';

// Models, scorers and targets are others' code: whatever they give, the log takes it, or says whose fault it is.

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const HOLES = [1, Number.NaN];
HOLES[4] = 2;

const ANSWER = {
  content: [{ type: 'text', text: 'hi' }],
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
  warnings: [],
};

const ANSWERS: Readonly<Record<string, unknown>> = {
  'usage that is no number': {
    usage: { inputTokens: { total: Number.NaN }, outputTokens: { total: Infinity } },
  },
  'usage in fractions': {
    usage: { inputTokens: { total: 1.5 }, outputTokens: { total: -3, reasoning: 0.4 } },
  },
  'usage as texts': {
    usage: { inputTokens: { total: '12', cacheRead: null }, outputTokens: { total: '3' } },
  },
  'a picture as its bare bytes': {
    content: [{ type: 'file', mediaType: 'image/png', data: new Uint8Array(200) }],
  },
  'a picture as its bare text': { content: [{ type: 'file', mediaType: 'image/png', data: 'QUFB' }] },
  'a file of no kind': { content: [{ type: 'file', data: 'QUFB' }] },
  'a tool call with a number for its id': {
    content: [{ type: 'tool-call', toolCallId: 7, toolName: null, input: '{no json' }],
  },
  'texts that are none': {
    content: [
      { type: 'text', text: 42 },
      { type: 'text' },
      { type: 'reasoning', text: null },
      { type: 'hologram', at: HOLES },
    ],
  },
  'a response with odd names': { response: { id: 7, modelId: 8, timestamp: 'yesterday' } },
  'a reason that nobody knows': { finishReason: { unified: 'bored', raw: 7 } },
};

function oddModel(name: string): LanguageModel {
  const model = mockModel({ answers: ['hi'] });
  return Object.assign(Object.create(model), {
    ...model,
    modelId: name,
    doGenerate: async () => ({ ...ANSWER, ...(ANSWERS[name] as object) }),
  }) as LanguageModel;
}

test.each(Object.keys(ANSWERS))('%s in a paid answer is written, whole', async (name) => {
  const { account } = await harness.run(
    defineEval({
      name: 'odd',
      data: [{ id: 'odd', input: 'q' }],
      target: async ({ input }, { generate }) => `said ${(await generate(input)).text}`,
      scorers: [scorer('any', () => 1)],
    }),
    { model: oddModel(name) },
  );
  expect(account).toMatchObject({ state: 'done', samples: { fresh: 1, errored: 0, lost: 0 } });
  await expectWhole(account.log);
});

const SCORES: readonly (readonly [string, unknown])[] = [
  ['null', { value: null }],
  ['a list with a hole', { value: HOLES }],
  ['a list with null', { value: [1, null] }],
  ['lists in lists', { value: [[1]] }],
  ['objects in objects', { value: { a: { b: 1 } } }],
  ['a function', { value: () => 1 }],
  ['a date that is none', { value: new Date(Number.NaN) }],
];

test.each(SCORES)('a score of %s is a fault of its scorer, and costs no sample', async (_, given) => {
  const handMade: Scorer = { name: 'by hand', options: {}, score: async () => given as { value: number } };
  const { account } = await harness.run(
    defineEval({
      name: 'odd',
      data: [{ id: 'odd', input: 'q' }],
      target: () => 'hi',
      scorers: [scorer('odd', () => given as { value: number }), handMade, scorer('fine', () => 1)],
    }),
  );
  expect(account).toMatchObject({ state: 'done', samples: { fresh: 1, lost: 0 } });
  expect(account.scorerTroubles?.map(({ scorer: name }) => name)).toEqual(['odd', 'by hand']);
  const [sample] = await harness.samples(account.log);
  expect(sample?.scores?.fine?.value).toBe(1);
  expect(sample?.scores?.odd?.explanation).toMatch(/The scorer odd gave .* instead of a score/);
  await expectWhole(account.log);
});

test('what a score says besides its value, and what a target notes, becomes what a log can hold', async () => {
  const odd: unknown[] = [7, null, HOLES, { deep: HOLES }, 'text', () => 1];
  const { account } = await harness.run(
    defineEval({
      name: 'odd',
      data: odd.map((_, index) => ({ id: `odd ${index}`, input: index })),
      target: ({ input }, { info }) => {
        info(odd[input] as number, odd[input] as string);
        return 'hi';
      },
      scorers: [
        scorer('any', ({ input }) => {
          const value = odd[input as number];
          return { value: 1, answer: value, explanation: value, metadata: value } as { value: number };
        }),
      ],
    }),
  );
  expect(account).toMatchObject({ state: 'done', samples: { fresh: odd.length, lost: 0 } });
  await expectWhole(account.log);
  const samples = await harness.samples(account.log);
  const notes = samples.map(({ events }) => events.find(({ event }) => event === 'info')?.source);
  expect(notes).toEqual([
    '7',
    undefined,
    '[1,NaN,null,null,2]',
    '{"deep":[1,NaN,null,null,2]}',
    'text',
    undefined,
  ]);
  expect(samples[3]?.scores?.any?.metadata).toEqual({ deep: [1, Number.NaN, null, null, 2] });
  expect(samples[4]?.scores?.any?.metadata).toEqual({ value: 'text' });
});

async function expectWhole(log: string | undefined): Promise<void> {
  expect(await verifyLog(nodeDisk, log ?? '')).toMatchObject({ problems: [], remarks: [] });
}
