/** The two commands on a fresh machine: a copy of the checkout, without anything installed, and the machine's own Node. */
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { ROOT, run, whyNoRegistry } from './npm.ts';

test('npm start installs, builds, and runs the main job to its account', async (context) => {
  const obstacle = whyNoRegistry() ?? whyNoCopy();
  if (obstacle !== undefined) context.skip(`skipped: ${obstacle}`);
  await using dir = await makeTempDir();
  copyCheckout(dir.path);
  const { status, stdout, stderr } = run('npm', ['start', '--', '--dir', join(dir.path, 'demo')], {
    cwd: dir.path,
  });
  expect(status, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/Installing[\s\S]*Building[\s\S]*holdfast demo/);
  expect(stderr).toMatch(/the last attempt died at .*; \d+ samples kept, \d+ (?:was|were) in flight/);
  expect(stdout).toMatch(/left +lost\n200 samples( +\d+){6} +0 +0 +0\n/);
  expect(stdout).toMatch(/log +logs\/.*_sums_.*\.eval/);
  expect(stdout).toContain('Nothing was lost');
  // What is installed already is not installed again.
  const check = `import('./scripts/set-up.mjs').then(({ ensureInstalled }) => ensureInstalled())`;
  expect(run('node', ['-e', check], { cwd: dir.path })).toMatchObject({ status: 0, stdout: '' });
}, 400_000);

function whyNoCopy(): string | undefined {
  return run('git', ['rev-parse', '--git-dir'], { cwd: ROOT }).status === 0
    ? undefined
    : 'this is no git checkout';
}

function copyCheckout(to: string): void {
  const listed = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  for (const name of listed.stdout
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('test/golden/'))) {
    mkdirSync(dirname(join(to, name)), { recursive: true });
    cpSync(join(ROOT, name), join(to, name), { recursive: true });
  }
}
