/** What is given again, and what must be asked for anew. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { defineEval, includes } from '../evals/index.ts';
import { mockModel } from '../targets/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const data = [{ id: 'a', input: 'x', target: 'x' }];
/** Counts its answers, so that no two are alike. */
function numberedModel(hangAt?: string) {
  const asked: string[] = [];
  const abort = new AbortController();
  const model = mockModel({
    name: 'mock/scripted',
    respond: async ({ text, request }) => {
      asked.push(text);
      if (text !== hangAt) return `${text} ${asked.length}`;
      setImmediate(() => abort.abort());
      return new Promise((_, reject) =>
        request.abortSignal?.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    },
  });
  return { model, asked, signals: { drain: new AbortController().signal, abort: abort.signal } };
}

test('[REP-1] equal requests of an interrupted attempt get their answers again in turn', async () => {
  const definition = defineEval({
    name: 'equal',
    data,
    target: async (_, { generate }) => {
      const first = (await generate('same')).text;
      const second = (await generate('same')).text;
      await generate('last');
      return `${first}, ${second}`;
    },
    scorers: [includes()],
  });
  const before = numberedModel('last');
  const stopped = await harness.run(definition, { model: before.model, signals: before.signals });
  expect(stopped.account.state).toBe('interrupted');
  const after = numberedModel();
  const { account } = await harness.run(definition, { model: after.model });
  expect(after.asked).toEqual(['last']);
  const [sample] = await harness.samples(account.log);
  expect(sample?.output?.completion).toBe('same 1, same 2');
});

test('what an attempt that ended with an error was answered is not bought again, whoever was to blame', async () => {
  const definition = (isLucky: boolean) =>
    defineEval({
      name: 'unlucky',
      version: '1',
      data: [...data, { id: 'b', input: 'hang', target: 'x' }],
      target: async ({ input }, { generate }) => {
        const { text } = await generate(input);
        if (input === 'x' && !isLucky) throw new Error(`cannot use "${text}"`);
        return text;
      },
      scorers: [includes()],
    });
  const before = numberedModel('hang');
  const run = { model: before.model, signals: before.signals, concurrency: 1 };
  expect((await harness.run(definition(false), run)).account.state).toBe('interrupted');
  const after = numberedModel();
  const { account } = await harness.run(definition(true), { model: after.model });
  expect(after.asked).toEqual(['hang']);
  expect(account.samples).toMatchObject({ errored: 0, lost: 0 });
});

test('a sample of a target that was changed is not reused, though its name stayed', async () => {
  const saying = (word: string) =>
    defineEval({
      name: 'agent',
      data,
      target: { command: [process.execPath, '--print', `'${word}'`] },
      scorers: [includes()],
    });
  const first = await harness.run(saying('one'));
  const second = await harness.run(saying('two'));
  expect(second.account.samples).toMatchObject({ fresh: 1, reused: 0 });
  const said = await Promise.all([first, second].map(({ account }) => harness.samples(account.log)));
  expect(said.map(([sample]) => sample?.output?.completion)).toEqual(['one\n', 'two\n']);
  expect((await harness.run(saying('two'))).account.samples).toMatchObject({ fresh: 0, reused: 1 });
});

test('what was answered before a call that failed is given again to the retry, and not bought again', async () => {
  const asked: string[] = [];
  const model = mockModel({
    respond: ({ text }) => {
      asked.push(text);
      if (asked.length === 2) throw new Error('the second call fails once');
      return `answer to ${text}`;
    },
  });
  const { account } = await harness.run(
    defineEval({
      name: 'retried',
      data,
      target: async (_, { generate }) => {
        const { text } = await generate('first');
        return `${text}, ${(await generate('second')).text} x`;
      },
      scorers: [includes()],
      retries: 1,
    }),
    { model },
  );
  expect(account).toMatchObject({ state: 'done', samples: { errored: 0, lost: 0 } });
  expect(asked).toEqual(['first', 'second', 'second']);
});
