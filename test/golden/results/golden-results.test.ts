import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { git, initRepository, openResults } from '../../sim/results-repo.ts';
import { useTempDir } from '../../sim/use-temp-dir.ts';
import { describeResults } from './golden-results.ts';

const dir = useTempDir();
const HERE = import.meta.dirname;
const versions = readdirSync(HERE).filter((name) => /^v\d+$/.test(name));

test.each(versions)('[RES-1] results of %s are read as they were written', async (version) => {
  const repo = join(dir.path, version);
  initRepository(repo);
  const bundle = join(HERE, version, 'results.bundle');
  git(repo, 'fetch', '--quiet', bundle, 'refs/heads/holdfast/results:refs/heads/holdfast/results');
  await using results = await openResults(repo, { isBegun: false });
  const expected: unknown = JSON.parse(readFileSync(join(HERE, version, 'expected.json'), 'utf8'));
  expect(await describeResults(results)).toEqual(expected);
});

test('there are results of every version that was ever written', () => {
  expect(versions).toEqual(['v1']);
});
