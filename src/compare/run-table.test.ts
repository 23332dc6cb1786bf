import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtureFields, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { openLog, readRunFromLog, type SampleFields } from '../log/index.ts';
import { readRunTable, sideOfTable } from './run-table.ts';
import { SharedTexts } from './shared-texts.ts';
import { readSide } from './side.ts';

const dir = useTempDir();

async function readerOf(samples: readonly SampleFields[]) {
  const path = await writeFixtureLog(nodeDisk, join(dir.path, 'a.eval'), {
    spec: { scorers: [{ name: 'two' }, { name: 'one' }] },
    samples: samples.map((fields) => ({ fields, events: [] })),
  });
  return readRunFromLog(await openLog(nodeDisk, path));
}

const USAGE = { m: { input_tokens: 1, output_tokens: 2, total_tokens: 3, total_cost: 0.25 } };
const UNPRICED = { m: { input_tokens: 1, output_tokens: 2, total_tokens: 3 } };
const SAMPLES: readonly SampleFields[] = [
  fixtureFields('a', {
    scores: { one: { value: 'C', answer: ' an\nanswer ' } },
    model_usage: USAGE,
    turn_count: 4,
  }),
  fixtureFields(2, { scores: { two: { value: { x: 1, y: Number.NaN } } }, total_time: 1.5 }),
  fixtureFields('a', {
    epoch: 2,
    scores: { one: { value: 0.5 }, two: { value: [1, 2] } },
    model_usage: UNPRICED,
  }),
  fixtureFields('broken', { scores: {}, error: { message: 'it broke', traceback: '', traceback_ansi: '' } }),
  fixtureFields('stopped', {
    scores: {},
    metadata: { holdfast: { interrupted: true } },
    error: { message: 'stopped', traceback: '', traceback_ansi: '' },
  }),
];

test('a table holds what a side holds, sample by sample', async () => {
  const reader = await readerOf(SAMPLES);
  const table = await readRunTable(reader, 'a');
  expect(sideOfTable(table)).toEqual(await readSide(reader, 'a'));
  await reader.close();
});

test('what was asked and answered is told in one line, and cut', async () => {
  const messages = [
    { role: 'system', content: 'be good' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look\n at' },
        { type: 'image', image: 'x' },
        { type: 'text', text: 'this' },
      ],
    },
  ];
  const reader = await readerOf([
    fixtureFields('a', { input: messages }),
    fixtureFields('b', { input: `${'é'.repeat(158)}😀 and more` }),
    fixtureFields('c', { input: [] }),
    ...SAMPLES.slice(0, 1).map((fields) => ({ ...fields, id: 'd' })),
  ]);
  const { inputs, answers, turns } = await readRunTable(reader, 'a');
  expect(inputs[0]).toMatch(/^look at .*this$/);
  expect(inputs[1]).toBe(`${'é'.repeat(158)}…`);
  expect(inputs[2]).toBe('');
  expect(answers).toEqual(['', '', '', 'an answer']);
  expect(turns).toEqual([Number.NaN, Number.NaN, Number.NaN, 4]);
  await reader.close();
});

test('of a value that is no figure not even a long text is kept', async () => {
  const long = `the answer is ${'long '.repeat(1_000)}`;
  const reader = await readerOf([
    fixtureFields('a', { scores: { one: { value: long }, two: { value: { deep: { er: 1 } } } } }),
  ]);
  const { figures } = await readRunTable(reader, 'a');
  expect(String(figures.get('one')?.[0]).length).toBe(64);
  expect(figures.get('two/deep')).toEqual([null]);
  await reader.close();
});

test('texts that are the same are one, and what they say stays as it is', async () => {
  const reader = await readerOf([
    fixtureFields('a', { input: 'the same' }),
    fixtureFields('b', { input: 'the same' }),
  ]);
  const texts = new SharedTexts();
  const tables = [await readRunTable(reader, 'a', texts), await readRunTable(reader, 'a', texts)];
  expect(tables.map(({ ids, inputs }) => [...ids, ...inputs])).toEqual([
    ['a', 'b', 'the same', 'the same'],
    ['a', 'b', 'the same', 'the same'],
  ]);
  for (let at = 0; at < 60_000; at++) texts.of(`text ${at}`);
  expect(texts.of('the same')).toBe('the same');
  await reader.close();
});
