/** One list over everything that runs are kept in, as a user meets it. */
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { addAgentv4, addAgentv5 } from '../sim/agentv-branch.ts';
import { filledJournal, runRecord } from '../sim/journal-fixture.ts';
import { initRepository } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast } from './holdfast.ts';

const EVAL = `name: capitals
target: mock/echo
data:
  - { id: a, input: Paris?, target: Paris }
scorers: [includes]
`;

test('logs, runs under way, published runs and those of AgentV are one list, and each run is shown', async () => {
  await using dir = await makeTempDir();
  await using other = await makeTempDir();
  initRepository(dir.path);
  initRepository(other.path);
  addAgentv4(other.path, { time: '2026-01-05T00:00:00.000Z', experiment: 'other' });
  addAgentv5(other.path, { time: '2026-01-06T00:00:00.000Z' });
  writeFileSync(join(dir.path, 'x.eval.yaml'), EVAL);
  const list = async (...args: string[]) => {
    const ended = await holdfast(dir.path, ['results', 'list', '--json', ...args], { HOME: other.path });
    return { ...ended, page: JSON.parse(ended.stdout || '{}') };
  };
  const formsOf = (page: { runs: { forms: string[] }[] }) => page.runs.map(({ forms }) => forms.join('+'));
  await holdfast(dir.path, ['run', 'x.eval.yaml']);
  // Without results it works as soon as something is named.
  const early = await list('--log-dir', 'logs');
  expect(early.code).toBe(0);
  expect(formsOf(early.page)).toEqual(['log']);

  expect((await holdfast(dir.path, ['results', 'init'])).code).toBe(0);
  expect((await holdfast(dir.path, ['results', 'publish', 'logs'])).code).toBe(0);
  const journal = await filledJournal(join(dir.path, 'logs/.holdfast'), runRecord());
  journal.close();
  const all = await list('--source', other.path);
  expect(formsOf(all.page)).toEqual(['published+log', 'agentv', 'agentv', 'interrupted']);
  expect(all.page.runs[0]).toMatchObject({ row: { eval: 'capitals', passRate: 1 }, also: [{ form: 'log' }] });

  const pages: string[] = [];
  for (
    let cursor: string | undefined = '', more: string[] = [];
    cursor !== undefined;
    more = ['--cursor', cursor ?? '']
  ) {
    const { page } = await list('--source', other.path, '--limit', '3', ...more);
    pages.push(...page.runs.map(({ run }: { run: string }) => run));
    cursor = page.cursor;
  }
  expect(pages).toEqual(all.page.runs.map(({ run }: { run: string }) => run));

  const said = await holdfast(dir.path, ['results', 'list', '--source', other.path]);
  expect(said.stdout).toMatch(/kept as\n.*capitals.*published\n.*math +echo +success +2\/2 .*agentv\n/);
  expect((await holdfast(dir.path, ['results', 'list', '--eval', 'capitals'])).stdout).not.toContain(
    'kept as',
  );
  const show = (run: string) => holdfast(dir.path, ['results', 'show', run, '--source', other.path]);
  expect((await show('other::2026-01-05T00-00-00-000Z')).stdout).toMatch(/experiment +other\n.*agentv: /);
  expect((await show(all.page.runs[3].run)).stdout).toMatch(/2 of 4 completed, 1 with errors/);
  const [name = ''] = readdirSync(join(dir.path, 'logs')).filter((one) => one.endsWith('.eval'));
  expect((await show(name)).stdout).toContain('capitals');
  expect((await show('nobody')).code).toBe(2);
});

test('a bucket of logs comes with the runs under way in the folder that they are started in', async () => {
  await using dir = await makeTempDir();
  mkdirSync(join(dir.path, 'bucket'));
  const journal = await filledJournal(join(dir.path, '.holdfast'), runRecord());
  journal.close();
  const bucket = pathToFileURL(join(dir.path, 'bucket')).href;
  const listed = await holdfast(dir.path, ['results', 'list', '--json', '--log-dir', bucket], {
    HOME: dir.path,
  });
  expect(JSON.parse(listed.stdout).runs).toMatchObject([
    { forms: ['interrupted'], row: { samples: { total: 4 } } },
  ]);
});

test('what cannot be read is listed with its reason, and what is named wrongly is told', async () => {
  await using dir = await makeTempDir();
  writeFileSync(join(dir.path, 'x.eval.yaml'), EVAL);
  await holdfast(dir.path, ['run', 'x.eval.yaml']);
  const [name = ''] = readdirSync(join(dir.path, 'logs')).filter((one) => one.endsWith('.eval'));
  truncateSync(join(dir.path, 'logs', name), 100);
  const damaged = await holdfast(dir.path, ['results', 'list', '--log-dir', 'logs']);
  expect(damaged).toMatchObject({ code: 3, stdout: expect.stringContaining(name) });
  for (const args of [
    ['--source', 'nowhere'],
    ['--log-dir', 'nowhere'],
  ])
    expect(await holdfast(dir.path, ['results', 'list', ...args])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere'),
    });
});

test('a list by the language of the Studio: filtered in pages, sorted as a whole, and told where it is wrong', async () => {
  await using dir = await makeTempDir();
  initRepository(dir.path);
  const evalOf = (name: string, target: string) =>
    EVAL.replace('capitals', name).replace('target: Paris }', `target: ${target} }`);
  for (const [name, target] of [
    ['one', 'Paris'],
    ['two', 'Nowhere'],
    ['three', 'Paris'],
  ] as const) {
    writeFileSync(join(dir.path, `${name}.eval.yaml`), evalOf(name, target));
    expect((await holdfast(dir.path, ['run', `${name}.eval.yaml`])).code).toBe(0);
  }
  const list = async (...args: string[]) => {
    const ended = await holdfast(dir.path, ['results', 'list', '--log-dir', 'logs', '--json', ...args]);
    return { ...ended, page: JSON.parse(ended.stdout || '{}') };
  };
  const evalsOf = (page: { runs: { row: { eval: string } }[] }) => page.runs.map(({ row }) => row.eval);
  expect(evalsOf((await list('--where', 'eval:t*')).page)).toEqual(['three', 'two']);
  expect(evalsOf((await list('--where', '-score<0.5 since:1h')).page)).toEqual(['three', 'one']);
  const first = await list('--where', 'score>0.5', '--limit', '1');
  expect(evalsOf(first.page)).toEqual(['three']);
  const second = await list('--where', 'score>0.5', '--limit', '1', '--cursor', first.page.cursor);
  expect(evalsOf(second.page)).toEqual(['one']);
  expect(evalsOf((await list('--sort', '-score,eval')).page)).toEqual(['one', 'three', 'two']);
  expect(evalsOf((await list('--sort=-eval', '--limit', '2', '--tag', 'x')).page)).toEqual([]);
  for (const wrong of [
    ['--where', 'eval:a cost>cheap'],
    ['--sort', 'eval,size'],
    ['--sort', 'eval', '--cursor', first.page.cursor],
  ]) {
    const { code, stdout, stderr } = await list(...wrong);
    expect({ code, said: stdout + stderr }).toMatchObject({
      code: 2,
      said: expect.stringContaining('E_FILTER'),
    });
  }
  expect((await list('--where', 'eval:a cost>cheap')).stdout).toContain('at character 13');
});
