/** Published runs whose bodies are not to be had: left out by a setting, in a bucket that nobody named, or dropped from it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Ended, filesBelow, holdfast, reportOf } from './holdfast.ts';

const EVAL = `name: capitals
target: mock/echo
data:
  - { id: a, input: Paris?, target: Paris }
  - { id: b, input: Rome?, target: Oslo }
scorers: [includes]
`;

/** A repository with one published run, whose log is lost. */
async function published(...flags: string[]) {
  const dir = await makeTempDir();
  execFileSync('git', ['-C', dir.path, 'init', '--quiet']);
  await writeFile(join(dir.path, 'c.eval.yaml'), EVAL);
  await said(dir.path, 'results', 'init');
  await said(dir.path, 'run', 'c.eval.yaml', '--no-publish');
  await said(dir.path, 'results', 'publish', 'logs', ...flags);
  rmSync(join(dir.path, 'logs'), { recursive: true });
  const { runs } = JSON.parse((await said(dir.path, 'results', 'list', '--json')).stdout);
  return Object.assign(dir, { run: String(runs[0].run) });
}

async function said(dir: string, ...words: string[]): Promise<Ended> {
  const ended = await holdfast(dir, words);
  expect(ended.code, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(0);
  return ended;
}

const bodies = (store: string) => filesBelow(store).filter((one) => /[0-9a-f]{64}$/.test(one));

test('a run whose lender published only summaries runs, leaves no journal, and says once why nothing was taken', async () => {
  await using dir = await published('--bodies', 'summary');
  const dry = await said(dir.path, 'run', 'c.eval.yaml', '--dry-run');
  expect(dry.stdout).not.toContain('2 kept');
  expect(dry.stdout + dry.stderr).toContain(
    '2 published samples could not be taken: only summaries were published',
  );
  const ended = await said(dir.path, 'run', 'c.eval.yaml', '--json', '--no-publish');
  const [report] = reportOf(ended).runs;
  expect(report?.samples).toMatchObject({ fresh: 2 });
  expect(report?.notes?.filter((note) => note.includes('could not be taken'))).toEqual([
    '2 published samples could not be taken: only summaries were published.',
  ]);
  expect(report?.damage).toBeUndefined();
  expect(readdirSync(join(dir.path, 'logs/.holdfast')).filter((one) => /^\d{8}T/.test(one))).toEqual([]);
});

test('bodies in a bucket that is not named hinder no run; in one that lost some, the others still lend', async () => {
  await using store = await makeTempDir();
  await using dir = await published('--bodies', 'bucket', '--body-limit', '1B', '--bucket', store.path);
  const away = await said(dir.path, 'run', 'c.eval.yaml', '--json', '--no-publish');
  expect(reportOf(away).runs[0]).toMatchObject({
    samples: { fresh: 2 },
    notes: [expect.stringContaining('2 published samples could not be taken: bodies are kept in a bucket')],
  });
  rmSync(join(dir.path, 'logs'), { recursive: true });
  const gone = bodies(store.path).find((one) =>
    readFileSync(join(store.path, one), 'utf8').startsWith('{"id":"a"'),
  );
  rmSync(join(store.path, String(gone)));
  const words = ['run', 'c.eval.yaml', '--json', '--no-publish', '--bucket', store.path];
  expect(reportOf(await said(dir.path, ...words)).runs[0]).toMatchObject({
    // The answers for the one that is gone are small, and in git.
    samples: { replayed: 1, rescored: 1 },
    notes: expect.arrayContaining([expect.stringContaining('1 published sample could not be taken')]),
  });
});

test('an export writes what is there of a run without bodies, and names once what is left out', async () => {
  await using dir = await published('--bodies', 'summary');
  const ended = await holdfast(dir.path, ['results', 'export', '--to', 'csv', '--out', 'tables']);
  expect(ended.code, ended.stderr).toBe(3);
  expect(ended.stdout.match(/only the summary/g)).toHaveLength(1);
  expect(ended.stdout).toContain('2 samples');
  const samples = readFileSync(join(dir.path, 'tables/samples.csv'), 'utf8').trim().split('\n');
  expect(samples).toHaveLength(3);
  expect(samples.join('\n')).toContain('Paris?');
  expect(readFileSync(join(dir.path, 'tables/scores.csv'), 'utf8').trim().split('\n')).toHaveLength(3);
});

test('what was dropped by gc, or left out by a setting, is said and no damage; what is gone without a word is', async () => {
  await using store = await makeTempDir();
  await using dir = await published('--bodies', 'bucket', '--body-limit', '1B', '--bucket', store.path);
  const collect = (...flags: string[]) =>
    said(dir.path, 'results', 'gc', '--before', '2999-01-01', '--bucket', store.path, ...flags);
  const young = await collect();
  expect(young.stdout).toContain('nothing to drop');
  expect(young.stdout).toContain('4 bodies younger than a week held');
  for (const body of bodies(store.path)) utimesSync(join(store.path, body), 1, 1);
  await collect('--yes');
  expect(bodies(store.path)).toEqual([]);
  const verified = await said(dir.path, 'results', 'verify', '--bucket', store.path);
  expect(verified.stdout).toContain('4 documents dropped by gc: all whole');
  const checked = await said(dir.path, 'log', 'verify', dir.run, '--bucket', store.path);
  expect(checked.stdout).toContain('noted: 4 documents dropped by "holdfast results gc"');
  const shown = await said(dir.path, 'results', 'show', dir.run, '--bucket', store.path);
  expect(shown.stdout).toMatch(/dropped +4 bodies \(.*\) from the bucket, by /);

  await using summary = await published('--bodies', 'summary');
  const whole = await said(summary.path, 'log', 'verify', summary.run);
  expect(whole.stdout).toContain('noted: 4 documents left out when it was published');
  expect((await said(summary.path, 'results', 'show', summary.run)).stdout).toContain(
    'left out: only the summary is kept',
  );

  await using other = await makeTempDir();
  await using lost = await published('--bodies', 'bucket', '--body-limit', '1B', '--bucket', other.path);
  rmSync(join(other.path, String(bodies(other.path)[0])));
  // Nobody looked: that is not damage, and it is not well either.
  const unlooked = await holdfast(lost.path, ['results', 'verify']);
  expect(unlooked).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('not looked at: name their bucket'),
  });
  const alone = await said(lost.path, 'log', 'verify', lost.run);
  expect(alone.stdout).toContain('in a bucket that is not named (--bucket): not looked at');
  const gone = await holdfast(lost.path, ['results', 'verify', '--bucket', other.path]);
  expect(gone.code).toBe(3);
  expect((await holdfast(lost.path, ['log', 'verify', lost.run, '--bucket', other.path])).code).toBe(3);
});
