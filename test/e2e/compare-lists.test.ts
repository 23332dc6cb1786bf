/** Long lists of a comparison: cut with how many more there are and how to see them, or whole. */
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { nodeDisk } from '../../src/disk/index.ts';
import { fixtureFields, writeFixtureLog } from '../sim/log-fixture.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast } from './holdfast.ts';

const dir = useTempDir();
const ask = (...args: string[]) => holdfast(dir.path, ['compare', 'before.eval', 'after.eval', ...args]);

/** Forty samples that flip, at one epoch and at three; forty more that only the second run has. */
beforeEach(async () => {
  const sample = (id: string, epoch: number, value: string) => ({
    fields: fixtureFields(id, { epoch, scores: { exact: { value } } }),
    events: [],
  });
  const names = (letter: string) => Array.from({ length: 40 }, (_, index) => `${letter}${index + 10}`);
  const write = (run: string, samples: readonly ReturnType<typeof sample>[]) =>
    writeFixtureLog(nodeDisk, join(dir.path, `${run}.eval`), {
      spec: { run_id: run, eval_id: run },
      samples,
    });
  await write(
    'before',
    names('f').map((id) => sample(id, 1, 'C')),
  );
  await write('after', [
    ...names('f').map((id) => sample(id, 1, 'I')),
    ...names('n').flatMap((id) => [1, 2, 3].map((epoch) => sample(id, epoch, 'I'))),
  ]);
});

test('lists are cut, with how many more there are and how to see them', async () => {
  const { stdout } = await ask();
  expect(stdout).toMatch(/C → I +f10.*and 16 more \(--all lists\s+them\)/s);
  expect(stdout).toMatch(
    /Only in B: 120 samples: n10,.*n17 \(epoch 1, 2, 3\)\s+and\s+32\s+more\s+\(--all\s+lists\s+them\)/s,
  );
  const { stdout: markdown } = await ask('--md');
  expect(markdown).toContain('n29 (epoch 1, 2, 3) and 20 more (all with --md --all).');
});

test('--all lists all of them, for people and for pull requests', async () => {
  for (const more of [[], ['--md']]) {
    const { stdout } = await ask('--all', ...more);
    expect(stdout).not.toContain(' more');
    for (const id of ['f49', 'n49']) expect(stdout).toContain(id);
  }
});
