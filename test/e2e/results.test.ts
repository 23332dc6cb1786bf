/** Results in git, as a user meets them: the commands, real git, and a repository that is left as it was. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast } from './holdfast.ts';

const EVAL = `name: capitals
target: mock/echo
data:
  - { id: a, input: Paris?, target: Paris }
  - { id: b, input: Rome?, target: Oslo }
scorers: [includes]
`;

test('a run is published, listed and shown; saying it again changes nothing', async () => {
  await using dir = await makeTempDir();
  const git = (...args: string[]) => execFileSync('git', ['-C', dir.path, ...args], { encoding: 'utf8' });
  git('init', '--quiet');
  writeFileSync(join(dir.path, 'x.eval.yaml'), EVAL);
  await holdfast(dir.path, ['run', 'x.eval.yaml']);
  const early = await holdfast(dir.path, ['results', 'list']);
  expect(early).toMatchObject({ code: 2, stderr: expect.stringContaining('holdfast results init') });
  const before = git('status', '--porcelain');
  expect((await holdfast(dir.path, ['results', 'init'])).stdout).toContain('holdfast/results');
  expect((await holdfast(dir.path, ['results', 'publish', 'logs'])).stdout).toContain('published');
  expect((await holdfast(dir.path, ['results', 'publish', 'logs'])).stdout).toContain('is there already');
  expect(git('status', '--porcelain')).toBe(before);
  const listed = JSON.parse((await holdfast(dir.path, ['results', 'list', '--json'])).stdout);
  expect(listed.runs).toMatchObject([
    {
      row: {
        eval: 'capitals',
        status: 'success',
        samples: { total: 2, completed: 2, passed: 1 },
        passRate: 0.5,
        scores: [{ metric: 'accuracy', value: 0.5, low: expect.any(Number), high: expect.any(Number) }],
      },
    },
  ]);
  expect((await holdfast(dir.path, ['results', 'list'])).stdout).toMatch(
    /capitals +mock\/echo +success +2\/2 +accuracy 0\.500/,
  );
  const { run } = listed.runs[0];
  const shown = await holdfast(dir.path, ['results', 'show', run.slice(-10)]);
  expect(shown.stdout).toContain(git('rev-parse', 'holdfast/results').trim());
  expect((await holdfast(dir.path, ['results', 'show', 'nobody'])).code).toBe(2);
});
