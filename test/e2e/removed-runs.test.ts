/** Runs that were removed from lists: nobody takes anything from them, and what is published of them anew is seen. */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Ended, holdfast, reportOf } from './holdfast.ts';

const EVAL = `name: capitals
target: mock/echo
data:
  - { id: a, input: Paris?, target: Paris }
  - { id: b, input: Rome?, target: Oslo }
scorers: [includes]
`;

async function begun() {
  const dir = await makeTempDir();
  execFileSync('git', ['-C', dir.path, 'init', '--quiet']);
  await writeFile(join(dir.path, 'c.eval.yaml'), EVAL);
  await said(dir.path, 'results', 'init');
  return dir;
}

async function said(dir: string, ...words: string[]): Promise<Ended> {
  const ended = await holdfast(dir, words);
  expect(ended.code, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(0);
  return ended;
}

async function run(dir: string) {
  const [report] = reportOf(await said(dir, 'run', 'c.eval.yaml', '--json')).runs;
  return report;
}

async function listed(dir: string, ...flags: string[]): Promise<readonly string[]> {
  const { runs } = JSON.parse((await said(dir, 'results', 'list', '--json', ...flags)).stdout);
  return runs.map((one: { run: string }) => one.run);
}

test('a removed run lends nothing, from git or from its log, and the next run is a run of its own that is listed', async () => {
  await using dir = await begun();
  await run(dir.path);
  const [first = ''] = await listed(dir.path);
  await said(dir.path, 'results', 'remove', first);
  const dry = await said(dir.path, 'run', 'c.eval.yaml', '--dry-run');
  expect(dry.stdout).not.toContain('kept');
  // Its log still lies in the log directory.
  expect((await run(dir.path))?.samples).toMatchObject({ fresh: 2, reused: 0 });
  const [second = ''] = await listed(dir.path);
  expect(second > first).toBe(true);
  await said(dir.path, 'results', 'remove', second);
  rmSync(join(dir.path, 'logs'), { recursive: true });
  expect((await run(dir.path))?.samples).toMatchObject({ fresh: 2, reused: 0 });
  const [third = ''] = await listed(dir.path);
  expect(third > second).toBe(true);
  // What is shown again lends again.
  await said(dir.path, 'results', 'remove', third);
  await said(dir.path, 'results', 'remove', second, '--restore');
  rmSync(join(dir.path, 'logs'), { recursive: true });
  expect((await run(dir.path))?.samples).toMatchObject({ reused: 2 });
  expect(await listed(dir.path)).toEqual([second]);
});

test('a new revision of a removed run is shown, and what is hidden already is said to be', async () => {
  await using dir = await begun();
  await run(dir.path);
  const [first = ''] = await listed(dir.path);
  await said(dir.path, 'results', 'remove', first, '--reason', 'wrong scorer');
  const there = await said(dir.path, 'results', 'publish', 'logs');
  expect(there.stdout).toContain('is there already, and hidden');
  expect(await listed(dir.path)).toEqual([]);
  const [log = ''] = readdirSync(join(dir.path, 'logs')).filter((name) => name.endsWith('.eval'));
  await writeFile(join(dir.path, 'c.eval.yaml'), EVAL.replace('[includes]', '[exact]'));
  await said(dir.path, 'score', join('logs', log), '--eval', 'c.eval.yaml', '--no-publish');
  const revised = await said(dir.path, 'results', 'publish', 'logs');
  expect(revised.stdout).toContain('published as a new revision, and shown again');
  expect(await listed(dir.path)).toEqual([first]);
});
