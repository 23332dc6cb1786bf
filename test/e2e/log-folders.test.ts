/** Folders of logs as people have them: nested, with links, with files that are damaged or come twice. */
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropObject, git, initRepository, runOfDay, writeRun } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast } from './holdfast.ts';

/** `in/` holds four logs in three folders, and what is none of them. */
async function nested() {
  const dir = await makeTempDir();
  initRepository(dir.path);
  const top = join(dir.path, 'in');
  for (const folder of ['', 'a', 'a/b', '.holdfast', 'node_modules/x'])
    mkdirSync(join(top, folder), { recursive: true });
  await writeRun(top, runOfDay(1));
  await writeRun(join(top, 'a'), runOfDay(2));
  await writeRun(join(top, 'a/b'), runOfDay(3));
  await writeRun(join(top, '.holdfast'), runOfDay(8));
  await writeRun(join(top, 'node_modules/x'), runOfDay(9));
  symlinkSync('..', join(top, 'a/b/up'));
  expect((await holdfast(dir.path, ['results', 'init'])).code).toBe(0);
  return Object.assign(dir, { top });
}

async function listed(dir: string, ...words: string[]) {
  const ended = await holdfast(dir, ['results', 'list', '--json', ...words]);
  return { code: ended.code, runs: JSON.parse(ended.stdout).runs as readonly Listed[] };
}

interface Listed {
  readonly run: string;
  readonly name: string;
  readonly damage?: string;
  readonly also?: readonly { readonly name: string; readonly damage?: string }[];
}

const cutOff = (path: string) => writeFileSync(path, readFileSync(path).subarray(0, -40));

test('folders are walked for listing, publishing and checking: hidden ones and links are left out', async () => {
  await using dir = await nested();
  const { runs } = await listed(dir.path, '--source', 'in');
  expect(runs.map(({ run }) => run)).toEqual([3, 2, 1].map(runOfDay));
  expect(runs[0]?.name).toBe(`a/b/${runOfDay(3)}.eval`);
  expect((await holdfast(dir.path, ['log', 'verify', 'in'])).stdout).toContain('3 logs whole');
  const published = await holdfast(dir.path, ['results', 'publish', 'in']);
  expect(published.code, published.stderr).toBe(0);
  expect((await listed(dir.path)).runs.map(({ run }) => run)).toEqual([3, 2, 1].map(runOfDay));
  mkdirSync(join(dir.path, 'nothing'));
  const nothing = await holdfast(dir.path, ['results', 'publish', 'nothing']);
  expect(nothing).toMatchObject({ code: 0, stderr: expect.stringContaining('There are no logs in nothing') });
});

test('one damaged log of a folder is named, and all others are published; one that is under way is no failure', async () => {
  await using dir = await nested();
  cutOff(join(dir.top, `${runOfDay(1)}.eval`));
  const published = await holdfast(dir.path, ['results', 'publish', 'in', '--json']);
  expect(published.code, published.stderr).toBe(3);
  const report = JSON.parse(published.stdout);
  expect(report.runs.map(({ run }: Listed) => run).sort()).toEqual([runOfDay(2), runOfDay(3)]);
  expect(report.failures).toMatchObject([{ log: `in/${runOfDay(1)}.eval`, code: 'E_LOG_TORN' }]);
  expect(published.stderr).toContain(`in/${runOfDay(1)}.eval is left out`);
  expect((await listed(dir.path)).runs).toHaveLength(2);
});

test('a log is taken by its path, whatever it is called: also a .json without a time in its name', async () => {
  await using dir = await nested();
  const from = `in/${runOfDay(1)}.eval`;
  expect((await holdfast(dir.path, ['log', 'convert', from, 'log_formats.json'])).code).toBe(0);
  const published = await holdfast(dir.path, ['results', 'publish', 'log_formats.json']);
  expect(published.code, published.stderr).toBe(0);
  expect((await listed(dir.path)).runs.map(({ run }) => run)).toEqual([runOfDay(1)]);
  const none = await holdfast(dir.path, ['results', 'publish', 'none.json']);
  expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('none.json') });
});

test('copies of a log are one run, also by a beginning of its id; one that is cut off is named beside the whole one', async () => {
  await using dir = await nested();
  const whole = join(dir.top, `${runOfDay(1)}.eval`);
  cpSync(whole, join(dir.top, 'copy.eval'));
  const start = '20260301';
  const shown = await holdfast(dir.path, ['results', 'show', start, '--source', 'in']);
  expect(shown.code, shown.stderr).toBe(0);
  expect(shown.stdout).toContain('copy.eval');
  cutOff(join(dir.top, 'copy.eval'));
  const again = await holdfast(dir.path, ['results', 'show', start, '--source', 'in', '--json']);
  expect(again.code, again.stderr).toBe(0);
  expect(JSON.parse(again.stdout).also).toMatchObject([{ name: 'copy.eval', damage: expect.any(String) }]);
  const list = await listed(dir.path, '--source', 'in');
  expect(list.code).toBe(3);
  expect(list.runs.at(-1)?.also).toMatchObject([{ name: 'copy.eval', damage: expect.any(String) }]);
});

test('an export as logs goes on past a run that is damaged, and names it', async () => {
  await using dir = await nested();
  expect((await holdfast(dir.path, ['results', 'publish', 'in'])).code).toBe(0);
  const path = `runs/2026-03-03/${runOfDay(3)}/log/header.json`;
  const blob = git(dir.path, 'rev-parse', `holdfast/results:${path}`);
  git(dir.path, 'repack', '-q', '-a', '-d');
  dropObject(dir.path, blob);
  const ended = await holdfast(dir.path, ['results', 'export', '--to', 'eval', '--out', 'out', '--json']);
  expect(ended.code, ended.stderr).toBe(3);
  const report = JSON.parse(ended.stdout);
  expect(report.logs.map(({ run }: Listed) => run)).toEqual([runOfDay(2), runOfDay(1)]);
  expect(report.problems).toMatchObject([{ run: runOfDay(3), message: expect.stringContaining(blob) }]);
});
