/** Each gets one clear sentence that names the place and the next step, and nothing is written. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { filesBelow, holdfast, reportOf } from './holdfast.ts';

interface BadInput {
  readonly what: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** Part of the sentence. */
  readonly says: string;
  readonly code: string;
}

const yaml = (more: string) => `name: x\n${more}\n`;
const GOOD = yaml('data: [{ input: a, target: a }]\ntarget: mock/echo\nscorers: [exact]');
const module = (definition: string) =>
  `import { defineEval, exact } from 'holdfast';\nexport default defineEval(${definition});\n`;

const BAD_INPUTS: readonly BadInput[] = [
  {
    what: 'a missing eval file',
    args: ['none.eval.ts'],
    says: 'There is no eval file none.eval.ts.',
    code: 'E_EVAL_FILE_NONE',
  },
  {
    what: 'a pattern without a match',
    args: ['*.nope'],
    says: 'No eval file matches *.nope.',
    code: 'E_EVAL_FILE_NONE',
  },
  {
    what: 'a folder without evals',
    args: ['.'],
    says: 'There is no eval file in .',
    code: 'E_EVAL_FILE_NONE',
  },
  {
    what: 'a file that is no eval file',
    files: { 'x.txt': '' },
    args: ['x.txt'],
    says: 'x.txt is not an eval file',
    code: 'E_EVAL_FILE_KIND',
  },
  {
    what: 'TypeScript that cannot be parsed',
    files: { 'x.eval.ts': 'const a: number = 1;\nexport default { name: 1 ;\n' },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:2:26: ',
    code: 'E_EVAL_SYNTAX',
  },
  {
    what: 'JavaScript that cannot be parsed',
    files: { 'x.eval.mjs': '\nlet a = 1;\nlet a = 2;\n' },
    args: ['x.eval.mjs'],
    says: 'x.eval.mjs:3:5: ',
    code: 'E_EVAL_SYNTAX',
  },
  {
    what: 'TypeScript that Node cannot strip',
    files: { 'x.eval.ts': 'enum A { B }\nexport default A;\n' },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:1:1: TypeScript enum is not supported',
    code: 'E_EVAL_SYNTAX',
  },
  {
    what: 'an error in a file that the eval imports',
    files: { 'x.eval.ts': `import './other.ts';\n`, 'other.ts': '\n\nexport const = 1;\n' },
    args: ['x.eval.ts'],
    says: 'other.ts:3:14: ',
    code: 'E_EVAL_SYNTAX',
  },
  {
    what: 'an import that leads nowhere',
    files: { 'x.eval.ts': `\nimport { a } from './gone.ts';\nexport default a;\n` },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:2:19: the module gone.ts cannot be found.',
    code: 'E_EVAL_IMPORT',
  },
  {
    what: 'a package that is not installed',
    files: { 'x.eval.ts': `import a from 'not-installed';\nexport default a;\n` },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:1:15: the package "not-installed" cannot be found.',
    code: 'E_EVAL_IMPORT',
  },
  {
    what: 'an import that the module does not have',
    files: { 'x.eval.ts': `import { includs } from 'holdfast';\nexport default includs;\n` },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:1:10: ',
    code: 'E_EVAL_SYNTAX',
  },
  {
    what: 'a file that throws while it is loaded',
    files: { 'x.eval.ts': `\n\nthrow new Error('not today');\n` },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:3:7: the file fails while it is loaded: not today',
    code: 'E_EVAL_THROWS',
  },
  {
    what: 'a file without a default export',
    files: { 'x.eval.ts': 'export const a = 1;\n' },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:1:1: the file has no default export.',
    code: 'E_EVAL_NO_DEFAULT',
  },
  {
    what: 'an export that is no eval',
    files: { 'x.eval.ts': 'export default 5;\n' },
    args: ['x.eval.ts'],
    says: 'the default export is no eval, but a number.',
    code: 'E_EVAL_INVALID',
  },
  {
    what: 'a misspelt word',
    files: { 'x.eval.ts': module(`{ name: 'x', data: [{ input: 'a' }], scorer: [exact()] } as never`) },
    args: ['x.eval.ts'],
    says: 'x.eval.ts:2:16: ',
    code: 'E_EVAL_INVALID',
  },
  {
    what: 'YAML that cannot be parsed',
    files: { 'x.eval.yaml': 'name: x\ndata: [{ input: a\nscorers:\n' },
    args: ['x.eval.yaml'],
    says: 'x.eval.yaml:3:1: not valid YAML',
    code: 'E_EVAL_SYNTAX',
  },
  {
    what: 'an unknown scorer',
    files: { 'x.eval.yaml': yaml('data: [{ input: a }]\nscorers:\n  - inclodes') },
    args: ['x.eval.yaml'],
    says: 'x.eval.yaml:4:5: There is no scorer "inclodes"; did you mean "includes"?',
    code: 'E_SCORER_UNKNOWN',
  },
  {
    what: 'an unknown provider',
    files: { 'x.eval.yaml': GOOD },
    args: ['x.eval.yaml', '-m', 'opnai/gpt-5'],
    says: '"opnai/gpt-5" does not name a model.',
    code: 'E_MODEL_UNKNOWN',
  },
  {
    what: 'an unknown mock model',
    files: { 'x.eval.yaml': GOOD },
    args: ['x.eval.yaml', '-m', 'mock/none'],
    says: '"mock/none" does not name a model.',
    code: 'E_MODEL_UNKNOWN',
  },
  {
    what: 'a key that is not set',
    files: { 'x.eval.yaml': GOOD },
    args: ['x.eval.yaml', '-m', 'openai/gpt-5'],
    says: 'OPENAI_API_KEY is not set',
    code: 'E_MODEL_KEY',
  },
  {
    what: 'no target and no model',
    files: { 'x.eval.yaml': yaml('data: [{ input: a }]\nscorers: [exact]') },
    args: ['x.eval.yaml'],
    says: 'The eval has no target, and no model is named.',
    code: 'E_TARGET_NONE',
  },
  {
    what: 'duplicate ids',
    files: {
      'x.eval.yaml': yaml(
        'data: [{ id: 1, input: a }, { id: 1, input: b }]\ntarget: mock/echo\nscorers: [exact]',
      ),
    },
    args: ['x.eval.yaml'],
    says: 'The id 1 is used twice: at row 1 and at row 2.',
    code: 'E_DATA_DUPLICATE_ID',
  },
  {
    what: 'an empty dataset',
    files: { 'x.eval.yaml': yaml('data: []\ntarget: mock/echo\nscorers: [exact]') },
    args: ['x.eval.yaml'],
    says: 'has no rows.',
    code: 'E_DATA_EMPTY',
  },
  {
    what: 'a malformed row',
    files: {
      'x.eval.yaml': yaml('data: rows.jsonl\ntarget: mock/echo\nscorers: [exact]'),
      'rows.jsonl': '{"input":"a"}\n{"input":\n',
    },
    args: ['x.eval.yaml'],
    says: 'rows.jsonl:2',
    code: 'E_DATA_ROW',
  },
  {
    what: 'two evals of one name',
    files: { 'a.eval.yaml': GOOD, 'b.eval.yaml': GOOD },
    args: ['a.eval.yaml', 'b.eval.yaml'],
    says: 'Two evals are called "x": one in a.eval.yaml, one in b.eval.yaml.',
    code: 'E_EVAL_NAME_TWICE',
  },
  {
    what: 'a log directory that cannot be written',
    files: { 'x.eval.yaml': GOOD, logs: 'a file' },
    args: ['x.eval.yaml'],
    says: 'is not a directory',
    code: 'E_LOG_DIR',
  },
  {
    what: 'a bucket of a kind that is not supported',
    files: { 'x.eval.yaml': GOOD },
    args: ['x.eval.yaml', '--log-dir', 'gs://bucket/logs'],
    says: 'gs:// is not supported',
    code: 'E_BUCKET_UNSUPPORTED',
  },
  {
    what: 'prices that are none',
    files: { 'x.eval.yaml': GOOD, 'prices.json': '[1, 2]' },
    args: ['x.eval.yaml', '--prices', 'prices.json'],
    says: 'prices.json cannot be used',
    code: 'E_PRICES_FILE',
  },
  {
    what: 'a number that is none',
    files: { 'x.eval.yaml': GOOD },
    args: ['x.eval.yaml', '--limit', 'few'],
    says: `'few' is invalid. Write a whole number from 1 up.`,
    code: 'E_USAGE',
  },
];

describe.concurrent('holdfast run', () => {
  test.each(BAD_INPUTS)(
    '$what: one sentence, and nothing is written',
    async ({ files = {}, args, says, code }) => {
      await using dir = await makeTempDir();
      for (const [name, text] of Object.entries(files)) await writeFile(join(dir.path, name), text);
      const before = filesBelow(dir.path);
      const ended = await holdfast(dir.path, ['run', ...args, '--json', '--quiet']);
      const report = reportOf(ended);
      const error = report.error ?? report.runs[0]?.error;
      expect(error).toMatchObject({ code, message: expect.stringContaining(says) });
      expect(ended.stderr).toMatch(/^error {2}.+\n {7}.+\n$/);
      expect(ended.code).toBe(2);
      expect(filesBelow(dir.path)).toEqual(before);
    },
  );
});

describe('logs', () => {
  test.each([
    ['a log that is not there', undefined, 'E_LOG_NOT_FOUND', 2],
    ['a file that is no log', 'hello', 'E_LOG_FOREIGN', 2],
    ['an empty file', '', 'E_LOG_EMPTY', 3],
    ['a torn log', 'PK\u0003\u0004 torn', 'E_LOG_TORN', 3],
  ])('%s is named', async (_what, content, code, exit) => {
    await using dir = await makeTempDir();
    await writeFile(join(dir.path, 'y.eval.yaml'), GOOD);
    if (content !== undefined) await writeFile(join(dir.path, 'x.eval'), content);
    const commands = [
      ['log', 'show', 'x.eval'],
      ['log', 'dump', 'x.eval'],
      ['log', 'convert', 'x.eval', 'x.json'],
      ['score', 'x.eval', '--eval', 'y.eval.yaml'],
    ];
    for (const words of commands) {
      const ended = await holdfast(dir.path, [...words, '--json']);
      expect(reportOf(ended), words.join(' ')).toMatchObject({ exitCode: exit, error: { code } });
      expect(ended.code, words.join(' ')).toBe(exit);
    }
  });

  test('a directory is no log', async () => {
    await using dir = await makeTempDir();
    const ended = await holdfast(dir.path, ['log', 'show', '.', '--json']);
    expect(reportOf(ended)).toMatchObject({ exitCode: 2, error: { code: 'E_LOG_IS_DIRECTORY' } });
  });

  test('to "log verify" a missing log is a wrong name, as to every command', async () => {
    await using dir = await makeTempDir();
    const ended = await holdfast(dir.path, ['log', 'verify', 'x.eval', '--json']);
    expect(reportOf(ended)).toMatchObject({ exitCode: 2, error: { code: 'E_LOG_NOT_FOUND' } });
    expect(ended.code).toBe(2);
  });

  test('an unreadable log in the log directory is said and left as it is, and the run goes on', async () => {
    await using dir = await makeTempDir();
    await writeFile(join(dir.path, 'x.eval.yaml'), GOOD);
    await holdfast(dir.path, ['run', 'x.eval.yaml', '--fresh']);
    const junk = join(dir.path, 'logs', '2020-01-01T00-00-00-00-00_x_junk.eval');
    await writeFile(junk, 'junk');
    const report = reportOf(await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']));
    expect(report).toMatchObject({ exitCode: 0, runs: [{ samples: { reused: 1 } }] });
    expect(report.runs[0]?.notes?.join()).toContain('could not be read and was left as it is');
  });
});

describe('samples', () => {
  const run = async (dir: string, definition: string) => {
    await writeFile(join(dir, 'x.eval.ts'), module(definition));
    return reportOf(await holdfast(dir, ['run', 'x.eval.ts', '--json']));
  };

  test('a target that returns nothing is an error of its sample, with a sentence', async () => {
    await using dir = await makeTempDir();
    const report = await run(
      dir.path,
      `{ name: 'x', data: [{ input: 'a', target: 'a' }], target: () => undefined, scorers: [exact()] }`,
    );
    expect(report).toMatchObject({ exitCode: 1, runs: [{ samples: { errored: 1 } }] });
    const shown = await holdfast(dir.path, ['log', 'dump', report.runs[0]?.log ?? '', '--strict']);
    expect(JSON.parse(shown.stdout).samples[0].error.message).toContain('returned nothing');
  });

  test('an id such as ../x never becomes a path outside', async () => {
    await using dir = await makeTempDir();
    const definition = `{ name: '../../x', data: [{ id: '../../../x', input: 'a', target: 'a' }], target: ({ input }) => input, scorers: [exact()] }`;
    const report = await run(dir.path, definition);
    expect(report).toMatchObject({ exitCode: 0, runs: [{ samples: { fresh: 1 } }] });
    const outside = filesBelow(dir.path).filter((path) => !path.startsWith('logs') && path !== 'x.eval.ts');
    expect(outside).toEqual([]);
    expect(report.runs[0]?.log).toContain(join(dir.path, 'logs'));
  });

  test('lone surrogates, invalid UTF-8 and control characters come through', async () => {
    await using dir = await makeTempDir();
    const definition = `{ name: 'x', data: [{ id: 'a', input: 'a\\ud800b', target: 'x' }],
      target: () => 'c\\udfff\\u0000\\u001b[2J' + Buffer.from([0xff, 0xfe]).toString(), scorers: [exact()] }`;
    const report = await run(dir.path, definition);
    expect(report).toMatchObject({ exitCode: 0, runs: [{ samples: { fresh: 1, lost: 0 } }] });
    const log = report.runs[0]?.log ?? '';
    expect((await holdfast(dir.path, ['log', 'verify', log])).code).toBe(0);
    const shown = await holdfast(dir.path, ['log', 'show', log, '--sample', 'a']);
    expect(shown.stdout).not.toContain('\u001b');
  });

  const withOutputOf = (chars: number) =>
    `{ name: 'x', data: [{ id: 'a', input: 'a' }], target: () => 'y'.repeat(${chars}), scorers: [() => true] }`;

  test('an output of 200 MB is scored whole, its ends are in the log and all of it is kept beside', async () => {
    await using dir = await makeTempDir();
    const report = await run(dir.path, withOutputOf(200_000_000));
    expect(report).toMatchObject({ exitCode: 0, runs: [{ samples: { fresh: 1, lost: 0 } }] });
    expect((await holdfast(dir.path, ['log', 'verify', 'logs'])).code).toBe(0);
  });

  test('two runs of the same eval at once both finish, each its own run', async () => {
    await using dir = await makeTempDir();
    await writeFile(
      join(dir.path, 'x.eval.ts'),
      // Neither ends before the other has begun.
      `import { mkdirSync, readdirSync } from 'node:fs';\n${module(`{ name: 'x', data: [{ input: 'a', target: 'a' }, { input: 'b', target: 'b' }],
        target: async ({ input }) => {
          mkdirSync('begun/' + process.pid, { recursive: true });
          while (readdirSync('begun').length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
          return input;
        }, scorers: [exact()] }`)}`,
    );
    const both = await Promise.all([1, 2].map(() => holdfast(dir.path, ['run', 'x.eval.ts', '--json'])));
    const logs = both.map((ended) => reportOf(ended).runs[0]?.log);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(new Set(logs).size).toBe(2);
    expect((await holdfast(dir.path, ['log', 'verify', 'logs'])).code).toBe(0);
  });
});
