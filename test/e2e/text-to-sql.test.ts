/** examples/text-to-sql from outside: what its model was asked for, what a kill costs, and how unruly answers are scored. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { answerTo, isAboutTable } from '../../examples/text-to-sql/scripted-model.mts';
import { chatCompletion } from '../sim/chat-server.ts';
import { sendJson, startServer } from '../sim/http-server.ts';
import { samplesOf } from '../sim/read-log.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast, reportOf, startHoldfast } from './holdfast.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/text-to-sql');
const EVAL_FILE = join(EXAMPLE, 'text-to-sql.eval.ts');
const TABLES = ['airports', 'books', 'flights', 'loans', 'marks', 'orders', 'products', 'pupils'];
/** Of each database the table that is described last. */
const LAST = ['flights', 'loans', 'products', 'pupils'];

const dir = useTempDir();

/** The model of the example behind a server that keeps some of its answers back; `sold` are the tables that it described. */
async function startModel({
  answer = answerTo,
  isHeld = (_table: string) => false,
}: {
  answer?: (prompt: string) => string;
  isHeld?: (table: string) => boolean;
}) {
  const [sold, held]: [string[], string[]] = [[], []];
  const server = await startServer((request, response) => {
    const prompt: string = JSON.parse(request.body).messages.at(-1).content;
    if (isAboutTable(prompt)) {
      const table = /CREATE TABLE (\w+)/.exec(prompt)?.[1] ?? '';
      if (isHeld(table)) return void held.push(table);
      sold.push(table);
    }
    sendJson(response, chatCompletion(request, answer(prompt)));
  });
  const env = { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` };
  return { env, sold, held, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

describe('the example text-to-sql', () => {
  test('run twice: the second run builds nothing, asks for no knowledge and says what it saved', async () => {
    const { PATH = '', HOME = '' } = process.env;
    const options = { cwd: dir.path, env: { PATH, HOME } };
    const ended = await promisify(execFile)(process.execPath, [join(EXAMPLE, 'run.mts')], options);
    const [, first = '', second = ''] = ended.stdout.split(/— The \w+ run —/);
    expect(first).toMatch(/artifacts +8 built for \$0\.\d+/);
    expect(first).toContain('was asked for 8 descriptions and 20 queries.');
    expect(second).toMatch(/artifacts +4 from the cache, \$0\.\d+ saved\n/);
    expect(second).toContain('was asked for 0 descriptions and 20 queries.');
    for (const account of [first, second]) expect(account).toContain('same_result  accuracy 0.850');
    expect(ended.stderr).not.toContain('Warning');
  });

  test('killed in the middle of its builds: no knowledge is sold twice', async () => {
    let isKilled = false;
    await using model = await startModel({ isHeld: (table) => !isKilled && LAST.includes(table) });
    const first = startHoldfast(dir.path, ['run', EVAL_FILE], model.env);
    while (model.held.length < LAST.length) await sleep(20);
    first.child.kill('SIGKILL');
    await first.ended;
    isKilled = true;
    expect(model.sold).toHaveLength(4);

    const second = await holdfast(dir.path, ['run', EVAL_FILE, '--json'], model.env);
    expect([second.code, model.sold.toSorted()]).toEqual([0, TABLES]);
    const [run] = reportOf(second).runs;
    expect(run).toMatchObject({ samples: { fresh: 20, errored: 0 }, artifacts: { reused: 4 } });
    expect(run?.artifacts?.built.map(({ unit }) => unit).sort()).toEqual(
      ['airline', 'library', 'school', 'shop'].map((db) => `knowledge/${db}`),
    );

    await holdfast(dir.path, ['run', EVAL_FILE, '--fresh', '--log-dir', 'others'], model.env);
    expect(model.sold).toHaveLength(TABLES.length);
  });

  test('without knowledge the model is always wrong; what cannot be executed, writes or never ends scores 0 and says why', async () => {
    const unruly: Readonly<Record<string, string>> = {
      'How many sales': 'WITH one AS (SELECT 1) DELETE FROM orders',
      'How many exams': "VACUUM INTO 'copy.sqlite'",
      'How many books': 'WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n',
      'How many flights were': 'SELECT 9 UNION ALL SELECT a.distance FROM flights a, flights b',
      'three oldest': "VALUES ('The Quiet Harbour')",
      'dearest product': "SELECT '240.5'",
    };
    const answer = (prompt: string) => {
      if (isAboutTable(prompt)) return 'A table.';
      const question = Object.keys(unruly).find((words) => prompt.includes(words));
      return question === undefined ? answerTo(prompt) : (unruly[question] ?? '');
    };
    await using model = await startModel({ answer });
    const run = await holdfast(dir.path, ['run', EVAL_FILE, '--json'], model.env);
    expect(run.code).toBe(0);
    const samples = await samplesOf(reportOf(run).runs[0]?.log ?? '');
    const scores = samples.map(({ id, scores }) => [String(id), scores?.same_result] as const);
    expect(scores.filter(([, score]) => score?.value !== 0)).toEqual([]);
    const reasons = Object.fromEntries(scores.map(([id, score]) => [id, score?.explanation]));
    expect(reasons).toMatchObject({
      'shop-sales': expect.stringContaining('attempt to write a readonly database'),
      'school-exams': 'The answer is not a query.',
      'library-out': 'The query took longer than 5 s.',
      'airline-cancelled': 'The query gives more than 1000 rows.',
      'shop-dearest': 'Expected [[240.5]]\nbut got [["240.5"]]',
      'school-youngest': expect.stringContaining('no such column: birthday'),
    });
  });
});
