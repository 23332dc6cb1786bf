import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, reportOf } from './holdfast.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');

test('every example runs as it is, offline', async () => {
  await using dir = await makeTempDir();
  const report = reportOf(await holdfast(dir.path, ['run', EXAMPLES, '--limit', '8', '--json']));
  expect(report.runs.filter(({ error }) => error)).toEqual([]);
  expect(report.exitCode).toBe(0);
  expect(report.runs.map((run) => run.eval).sort()).toEqual([
    'agent',
    'capitals',
    'capitals-yaml',
    'command-agent',
    'epochs',
    'graded',
    'http',
    'sums',
    'text-to-sql',
  ]);
  for (const run of report.runs)
    expect(run.samples, run.eval).toMatchObject({ errored: 0, remaining: 0, lost: 0 });
  expect((await holdfast(dir.path, ['log', 'verify', 'logs'])).code).toBe(0);
});
