/** What the commands of results say to people: of notes, removals, archives, names and words that are none. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtureFields } from '../sim/log-fixture.ts';
import { gitInput, initRepository, openResults, runOfDay, writeRun } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Ended, holdfast } from './holdfast.ts';

const LONG = `eval-${'with-a-long-name-'.repeat(8)}end`;

/** Three published runs, whose logs are elsewhere. */
async function published() {
  const dir = await makeTempDir();
  initRepository(dir.path);
  const logs = join(dir.path, 'made');
  mkdirSync(logs);
  await using results = await openResults(dir.path);
  const samples = [{ fields: fixtureFields('first'), events: [{ event: 'info', uuid: 'e1', data: 'x' }] }];
  for (const day of [1, 2, 3])
    await results.publish(await writeRun(logs, runOfDay(day), { spec: { task: LONG }, samples }));
  return dir;
}

const errorOf = ({ stdout }: Ended) => JSON.parse(stdout).error as { code: string; hint: string };

async function said(dir: string, ...words: string[]): Promise<string> {
  const ended = await holdfast(dir, ['results', ...words]);
  expect(ended.code, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(0);
  return ended.stdout;
}

test('show tells verdicts and what notes are about, and list marks what was removed', async () => {
  await using dir = await published();
  const run = runOfDay(1);
  await said(dir.path, 'note', run, '--sample', 'first', '--verdict', 'fail', 'it guessed');
  await said(dir.path, 'note', run, '--sample', 'first', '--event', 'e1', 'look here');
  const shown = await said(dir.path, 'show', run);
  expect(shown).toMatch(/verdict +.*, sample first: fail: it guessed/);
  expect(shown).toMatch(/note +.*, sample first, event e1: look here/);
  await said(dir.path, 'remove', runOfDay(2));
  const lines = (await said(dir.path, 'list', '--removed')).split('\n');
  expect(lines.filter((line) => /removed$/.test(line))).toHaveLength(2);
  expect(lines.find((line) => line.includes(runOfDay(2).slice(19)))).toMatch(/removed$/);
});

test('a name is whole where it is searched for, and a published run is known by the name of its log', async () => {
  await using dir = await published();
  expect(await said(dir.path, 'list')).toContain(LONG);
  expect(await said(dir.path, 'show', `${runOfDay(2)}.eval`)).toContain(runOfDay(2));
});

test('words that are no status, no id or nothing at all are refused the same way everywhere', async () => {
  await using dir = await published();
  const status = await holdfast(dir.path, ['results', 'list', '--status', 'weird']);
  expect(status.code).toBe(2);
  expect(status.stderr).toContain('cancelled');
  for (const words of [['show'], ['tag', '-a', 'x'], ['note', '--verdict', 'pass', '--sample', 'first']]) {
    const [command = '', ...flags] = words;
    const refused = await holdfast(dir.path, ['results', command, '../x', ...flags, '--json']);
    expect(refused.code).toBe(2);
    expect(errorOf(refused)).toMatchObject({ code: 'E_RUN_ID' });
  }
});

test('a run that is only in an archive is said to be there', async () => {
  await using dir = await published();
  await said(dir.path, 'archive', '--before', '2026-03-02', '--yes');
  const shown = await holdfast(dir.path, ['results', 'show', runOfDay(1), '--json']);
  expect(shown.code).toBe(2);
  expect(errorOf(shown)).toMatchObject({
    code: 'E_RUN_ARCHIVED',
    hint: expect.stringContaining('--branch holdfast/results'),
  });
  expect(await said(dir.path, 'show', runOfDay(1), '--branch', 'holdfast/results')).toContain(runOfDay(1));
  // Its log is published, and hinders no other.
  expect(await said(dir.path, 'publish', 'made')).toContain('is there already');
});

test('a note on a sample, an epoch or an event that the run does not have is refused, with what it has', async () => {
  await using dir = await published();
  const refused = async (...flags: string[]) => {
    const words = ['results', 'note', runOfDay(1), '--verdict', 'fail', '--json', ...flags];
    const ended = await holdfast(dir.path, words);
    expect(ended.code, ended.stderr).toBe(2);
    return JSON.parse(ended.stdout).error as { code: string; message: string; hint: string };
  };
  expect(await refused('--sample', 'frist')).toMatchObject({
    code: 'E_SAMPLE_NONE',
    message: expect.stringContaining('did you mean "first"?'),
    hint: expect.stringContaining('first'),
  });
  expect(await refused('--sample', 'first', '--epoch', '9')).toMatchObject({
    code: 'E_SAMPLE_NONE',
    message: expect.stringContaining('epoch 9'),
  });
  expect(await refused('--sample', 'first', '--event', 'bogus')).toMatchObject({
    code: 'E_EVENT_NONE',
    hint: expect.stringContaining('e1'),
  });
});

test('a row that cannot be read is told with its run named once', async () => {
  await using dir = await published();
  const path = `runs/2026-03-02/${runOfDay(2)}/run.json`;
  gitInput(
    dir.path,
    `commit refs/heads/holdfast/results\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom refs/heads/holdfast/results^0\nM 100644 inline ${path}\ndata 2\n{]\n`,
  );
  const listed = await holdfast(dir.path, ['results', 'list']);
  expect(listed.code).toBe(3);
  expect(listed.stdout.split(runOfDay(2))).toHaveLength(2);
});
