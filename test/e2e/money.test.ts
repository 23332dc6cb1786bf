/** Money, seen from outside: a server that counts what it sold, and what the screen says of it. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packagePage } from '../../src/base/index.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { startChatServer, yamlEval } from './chat-server.ts';
import { holdfast, reportOf } from './holdfast.ts';

/** One call costs a cent: 1,000 tokens in and 1,000 out. */
const CENT = '"openai-compatible/m": { input: 5, output: 5 }';
const ONE = ['--concurrency', '1'];

async function project(text: string) {
  const dir = await makeTempDir();
  await writeFile(join(dir.path, 'x.eval.yaml'), text);
  return dir;
}

describe('a budget and a model whose price is unknown', () => {
  test('[BUD-5] it is refused before anything is bought: by --budget, and by the eval’s own budgetUsd', async () => {
    await using server = await startChatServer();
    await using dir = await project(yamlEval('x', server.model, 3));
    const ended = await holdfast(dir.path, ['run', 'x.eval.yaml', '--budget', '1']);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain(`the price of ${server.model} is not known`);
    expect(ended.stderr).toContain('--allow-unpriced');
    await writeFile(join(dir.path, 'x.eval.yaml'), yamlEval('x', server.model, 3, 'budgetUsd: 1\n'));
    const own = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(reportOf(own).error).toMatchObject({ code: 'E_PRICE_UNKNOWN' });
    // Nor is anything bought for another eval of the same set.
    await writeFile(
      join(dir.path, 'priced.eval.yaml'),
      yamlEval(
        'priced',
        server.model.replace('/m@', '/p@'),
        3,
        'prices: { "openai-compatible/p": { input: 5, output: 5 } }\n',
      ),
    );
    expect((await holdfast(dir.path, ['run', '.', '--budget', '1'])).code).toBe(2);
    expect(server.sold).toBe(0);
  });

  test('[BUD-5] also for a grader, and when code calls a model by a name that nobody could know before', async () => {
    await using server = await startChatServer();
    const graded = yamlEval('x', 'mock/echo', 2).replace(
      'scorers: [exact]',
      `scorers: [{ modelGraded: { model: "${server.model}" } }]`,
    );
    await using dir = await project(graded);
    const refused = await holdfast(dir.path, ['run', 'x.eval.yaml', '--budget', '1']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`the price of ${server.model} is not known`);
    await writeFile(
      join(dir.path, 'y.eval.ts'),
      `import { defineEval, exact } from 'holdfast';
       export default defineEval({ name: 'y', data: [{ input: 'a', target: 'a' }], budgetUsd: 1, scorers: [exact()],
         target: async ({ input }, { generate }) => (await generate({ model: '${server.model}', prompt: input })).text });\n`,
    );
    const atCall = await holdfast(dir.path, ['run', 'y.eval.ts']);
    expect(atCall.code).toBe(2);
    expect(atCall.stderr).toContain(`the price of ${server.model} is not known`);
    expect(server.sold).toBe(0);
  });

  test('--allow-unpriced goes on, and the account says so; amounts are unknown, never $0, also what was saved', async () => {
    await using server = await startChatServer();
    await using dir = await project(yamlEval('x', server.model, 3));
    const args = ['run', 'x.eval.yaml', '--budget', '1', '--allow-unpriced'];
    const first = await holdfast(dir.path, args);
    expect(first.code).toBe(0);
    expect(first.stdout).toContain('calls of unknown price do not count (--allow-unpriced)');
    expect(first.stdout).toMatch(/money +unknown +\$0 +\$0\n/);
    expect(first.stdout).toContain('3 calls had no known price');
    const again = await holdfast(dir.path, args);
    expect(again.stdout).toMatch(/money +\$0 +unknown +\$0\n/);
    const { runs } = reportOf(await holdfast(dir.path, [...args, '--json']));
    expect(runs[0]?.usd).toMatchObject({
      spent: 0,
      saved: null,
      unpriced: { spent: 0, saved: 3, wasted: 0 },
    });
    expect(server.sold).toBe(3);
  });
});

describe('prices', () => {
  test.each([
    ['the eval', { eval: `prices: { ${CENT} }\n` }, []],
    ['a config above the eval', { config: `prices:\n  ${CENT}\n` }, []],
    ['--prices', { file: `{ ${CENT} }` }, ['--prices', '../../prices.yaml']],
  ] as const)(
    'from %s are used',
    async (_, texts: { eval?: string; config?: string; file?: string }, flags) => {
      await using server = await startChatServer();
      await using dir = await makeTempDir();
      const folder = join(dir.path, 'evals/deep');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'x.eval.yaml'), yamlEval('x', server.model, 2, texts.eval));
      if (texts.config !== undefined) await writeFile(join(dir.path, 'holdfast.config.yaml'), texts.config);
      if (texts.file !== undefined) await writeFile(join(dir.path, 'prices.yaml'), texts.file);
      const { runs } = reportOf(
        await holdfast(folder, ['run', 'x.eval.yaml', '--budget', '5', '--json', ...flags]),
      );
      expect(runs[0]).toMatchObject({
        state: 'done',
        usd: { spent: 0.02 },
        budget: { limitUsd: 5, spentUsd: 0.02 },
      });
    },
  );

  test('later ones add to earlier ones and win: built-in, config, eval, --prices', async () => {
    await using dir = await project(
      yamlEval('x', 'mock/echo', 1, 'prices: { "mock/echo": { input: 2000000, output: 0 } }\n'),
    );
    const spent = async (...flags: string[]) =>
      reportOf(await holdfast(dir.path, ['run', 'x.eval.yaml', '--fresh', '--json', ...flags])).runs[0]?.usd
        ?.spent ?? 0;
    const ofEval = await spent();
    await writeFile(
      join(dir.path, 'holdfast.config.json'),
      '{ "prices": { "mock/echo": { "input": 1, "output": 0 } } }',
    );
    expect(await spent()).toBe(ofEval);
    await writeFile(join(dir.path, 'p.json'), '{ "mock/echo": { "input": 4000000, "output": 0 } }');
    expect(await spent('--prices', 'p.json')).toBe(2 * ofEval);
  });

  test('a price that lacks something is refused with what it lacks', async () => {
    await using dir = await project(yamlEval('x', 'mock/echo', 1));
    await writeFile(join(dir.path, 'p.json'), '{ "mock/echo": { "input": 1 } }');
    const file = await holdfast(dir.path, ['run', 'x.eval.yaml', '--prices', 'p.json', '--json']);
    expect(reportOf(file).error?.message).toContain('the price of mock/echo has no "output"');
    await writeFile(join(dir.path, 'holdfast.config.yaml'), 'prices: { mock/echo: 5 }');
    const config = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(reportOf(config).error?.message).toContain('"prices.mock/echo" must be a price, not the number 5');
    await writeFile(join(dir.path, 'holdfast.config.yaml'), 'prices: { mock/echo: { input: 5 } }');
    const lacking = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(reportOf(lacking).error?.message).toContain('"prices.mock/echo" has no "output"');
  });

  test('a config that cannot be used is refused, by name', async () => {
    await using dir = await project(yamlEval('x', 'mock/echo', 1));
    await writeFile(join(dir.path, 'holdfast.config.json'), '{ "price": {} }');
    const ended = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(reportOf(ended)).toMatchObject({
      exitCode: 2,
      error: { code: 'E_CONFIG', message: expect.stringContaining('holdfast.config.json') },
    });
  });
});

describe('a budget that is spent', () => {
  test('the command to go on has a higher one, and with it the run is completed without buying anything twice', async () => {
    await using server = await startChatServer();
    await using dir = await project(yamlEval('x', server.model, 5, `prices: { ${CENT} }\n`));
    const ended = await holdfast(dir.path, ['run', 'x.eval.yaml', '--budget', '0.02', ...ONE]);
    expect(ended.code).toBe(4);
    expect(ended.stdout).toContain('$0.0200 of $0.0200 spent, over all attempts at the runs of this command');
    const next = /To go on, with a higher budget: holdfast (.*)/.exec(ended.stdout)?.[1] ?? '';
    expect(next).toBe('run x.eval.yaml --concurrency 1 --budget 0.05');
    // What was spent before counts: the same budget is still spent.
    expect((await holdfast(dir.path, ['run', 'x.eval.yaml', '--budget', '0.02', ...ONE])).code).toBe(4);
    expect(server.sold).toBe(2);
    const last = reportOf(await holdfast(dir.path, [...next.split(' '), '--json']));
    expect(last.runs[0]).toMatchObject({ samples: { remaining: 0, kept: 2, fresh: 3 } });
    expect(server.sold).toBe(5);
  });

  test.each(['run', 'retry'])(
    'what counts is said in the help of %s as in the guide and the account',
    async (command) => {
      await using dir = await makeTempDir();
      const { stdout } = await holdfast(dir.path, [command, '--help']);
      expect(stdout.replace(/\s+/g, ' ')).toMatch(
        /--budget <usd> stop, resumable, .* over all attempts at them; overrides budgetUsd/,
      );
      const guide = (name: string) => readFile(packagePage(`guide/${name}.md`), 'utf8');
      for (const name of ['commands', 'targets', 'writing-evals'])
        expect((await guide(name)).replace(/\s+/g, ' '), name).toMatch(/over all attempts at (?:it|them)/);
    },
  );

  test('--budget overrides the eval’s own, upwards too', async () => {
    await using server = await startChatServer();
    await using dir = await project(yamlEval('x', server.model, 4, `prices: { ${CENT} }\nbudgetUsd: 0.01\n`));
    const own = await holdfast(dir.path, ['run', 'x.eval.yaml', ...ONE]);
    expect(own.code).toBe(4);
    expect(own.stdout).toContain('$0.0100 of $0.0100 spent, over all attempts at this run');
    expect(own.stdout).toContain('--budget 0.02');
    const { runs } = reportOf(
      await holdfast(dir.path, ['run', 'x.eval.yaml', '--budget', '1', '--json', ...ONE]),
    );
    expect(runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0 } });
    expect(server.sold).toBe(4);
  });
});
