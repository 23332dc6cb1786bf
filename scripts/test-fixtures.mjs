// `npm run test:fixtures`: the tests on real logs, which are not part of the repository. HOLDFAST_FIXTURES names their
// folder; the usual place is beside the checkout. Where there is none, the tests are skipped by name and this says so.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ensureInstalled, ROOT, say, tryRun } from './set-up.mjs';

const folder = resolve(ROOT, process.env.HOLDFAST_FIXTURES || '../shared/fixtures');

ensureInstalled();
if (existsSync(join(folder, 'inspect'))) {
  say(`Real logs of ${folder}`);
  process.exitCode = runVitest([], folder);
} else {
  say(`There are no real logs at ${folder}: their tests are skipped (HOLDFAST_FIXTURES names the folder)`);
  process.exitCode = runVitest(['--reporter=verbose', 'test/fixtures'], '');
}

function runVitest(args, fixtures) {
  const env = { HOLDFAST_FIXTURES: fixtures };
  return tryRun('vitest', ['run', '--config', 'vitest.fixtures.config.ts', ...args], { env });
}
