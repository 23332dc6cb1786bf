/** Logs of Inspect before 0.3.59, which do not say of a sample whether it ended: every command counts them alike. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { makeZip } from '../golden/log/shapes/make-zip.ts';
import { HEADER, plainSample, RESULTS, SPEC, START, text } from '../golden/log/shapes/shape.ts';
import { initRepository } from '../sim/results-repo.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { type Ended, holdfast } from './holdfast.ts';

const GOLDEN = join(import.meta.dirname, '../golden/log/shapes/no-completed.eval');
const WHO = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'a@b',
};

const dir = useTempDir();
beforeEach(() => initRepository(dir.path));
const ask = (...args: string[]) => holdfast(dir.path, args, WHO);
const json = ({ stdout }: Ended) => JSON.parse(stdout);

/** A log of ten samples, as Inspect 0.3.43 wrote its list. */
function writeOldLog(name: string, value: 'C' | 'I'): string {
  const samples = Array.from({ length: 10 }, (_, index) => plainSample(`s${index}`, value));
  const header = {
    ...HEADER,
    eval: { ...SPEC, run_id: name },
    results: { ...RESULTS, total_samples: 10, completed_samples: 10 },
  };
  const rows = samples.map(({ id, epoch, input, target, scores }) => ({ id, epoch, input, target, scores }));
  const path = join(dir.path, `${name}.eval`);
  writeFileSync(
    path,
    makeZip([
      { name: '_journal/start.json', text: text(START) },
      ...samples.map((sample) => ({ name: `samples/${sample.id}_epoch_1.json`, text: text(sample) })),
      { name: 'summaries.json', text: text(rows) },
      { name: 'header.json', text: text(header) },
    ]),
  );
  return path;
}

test('a published one says how many of its samples completed', async () => {
  await ask('results', 'init');
  expect(await ask('results', 'publish', GOLDEN)).toMatchObject({ code: 0 });
  const [{ run }] = json(await ask('results', 'list', '--json')).runs;
  const shown = json(await ask('results', 'show', run, '--json'));
  expect(shown.samples).toEqual({ total: 3, completed: 2, errored: 1, passed: 1 });
  expect((await ask('results', 'show', run)).stdout).toContain('2 of 3 completed');
});

test('two of them are compared: what is worse is told, and the gate closes', async () => {
  const [before, after] = [writeOldLog('before', 'C'), writeOldLog('after', 'I')];
  const ended = await ask('compare', before, after, '--gate');
  expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('B is worse than A.') });
  expect(ended.stdout).not.toContain('not finished');
});

test('exported, its samples have the states that they ended in', async () => {
  const out = join(dir.path, 'samples.jsonl');
  await ask('log', 'export', GOLDEN, '--to', 'jsonl', '--table', 'samples', '--out', out);
  const rows = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.map(({ id, status }) => [id, status])).toEqual([
    ['nile', 'completed'],
    ['oder', 'error'],
    ['rhein', 'completed'],
  ]);
});
