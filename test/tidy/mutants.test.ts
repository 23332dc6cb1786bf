/** The faults of `npm run mutants` fit the source as it is now; whether they are noticed takes longer to find out. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listMutants } from '../mutants/mutant.ts';
import { MUTANTS_MIN } from './ratchets.ts';
import { ROOT } from './source-files.ts';

const mutants = listMutants(ROOT);

test('there are at least as many faults as there were', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(MUTANTS_MIN);
});

test('every fault still applies', () => {
  const broken = mutants.flatMap(({ path }) => {
    const { status, stderr, error } = spawnSync('git', ['apply', '--check', path], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    return status === 0 ? [] : [`${path}: ${error?.message ?? stderr.trim()}`];
  });
  expect(broken).toEqual([]);
});

test('every fault names tests that are there', () => {
  const missing = mutants.flatMap(({ path, tests }) =>
    tests
      .filter((file) => !file.endsWith('.test.ts') || !existsSync(join(ROOT, file)))
      .map((file) => `${path}: ${file}`),
  );
  expect(missing).toEqual([]);
});

test('every fault changes what is published, and nothing else', () => {
  const astray = mutants.flatMap(({ path }) => {
    const { stdout } = spawnSync('git', ['apply', '--numstat', path], { cwd: ROOT, encoding: 'utf8' });
    const files = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t').at(-1) ?? '');
    return files
      .filter((file) => !/^(?:studio\/)?src\//.test(file) || file.endsWith('.test.ts'))
      .map((file) => `${path}: ${file}`);
  });
  expect(astray).toEqual([]);
});
