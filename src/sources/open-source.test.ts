import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { AGENTV_REF, addAgentv4 } from '../../test/sim/agentv-branch.ts';
import { filledJournal, runRecord } from '../../test/sim/journal-fixture.ts';
import { GIT_ENV, git, initRepository, openResults, runIdAt, writeRun } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { listAll } from './list-all.ts';
import { openSource } from './open-source.ts';

const dir = useTempDir();
const TIME = '2026-07-06T11:31:36.988Z';

async function formsOf(given: string): Promise<readonly (readonly string[])[]> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  const sources = await openSource(given, { ...ports, cwd: dir.path, cacheDir: join(dir.path, 'cache') });
  try {
    return (await listAll(sources, { limit: 10 })).runs.map(({ forms }) => forms);
  } finally {
    for (const source of sources) await source[Symbol.asyncDispose]();
  }
}

test('a folder of logs comes with the runs under way in it, and a bucket is one of logs', async () => {
  mkdirSync(join(dir.path, 'logs'));
  await writeRun(join(dir.path, 'logs'), runIdAt(TIME));
  const journal = await filledJournal(join(dir.path, 'logs/.holdfast'), runRecord());
  expect(await formsOf('logs')).toEqual([['log'], ['running']]);
  expect(await formsOf(pathToFileURL(join(dir.path, 'logs')).href)).toEqual([['log']]);
  journal.close();
});

test('one log is a source of its own', async () => {
  const one = await writeRun(dir.path, runIdAt(TIME));
  await writeRun(dir.path, runIdAt('2026-07-07T00:00:00Z'));
  expect(await formsOf(one)).toEqual([['log']]);
});

test('a repository is looked into: its results, and those of AgentV, also when they were only fetched', async () => {
  const repo = join(dir.path, 'repo');
  initRepository(repo);
  await writeRun(repo, runIdAt(TIME));
  // Without results it is a folder like any other.
  expect(await formsOf('repo')).toEqual([['log']]);
  addAgentv4(repo, { time: '2026-07-05T00:00:00.000Z' });
  expect(await formsOf('repo')).toEqual([['agentv']]);
  await using results = await openResults(repo);
  await results.publish(await writeRun(dir.path, runIdAt(TIME)));
  expect(await formsOf('repo')).toEqual([['published'], ['agentv']]);
  expect(await formsOf('repo#agentv/results/v1')).toEqual([['agentv']]);
  const clone = join(dir.path, 'clone.git');
  git(dir.path, 'clone', '--quiet', '--bare', repo, clone);
  expect(await formsOf('clone.git')).toEqual([['published'], ['agentv']]);
  git(repo, 'update-ref', 'refs/remotes/origin/agentv/results/v1', AGENTV_REF);
  git(repo, 'update-ref', '-d', AGENTV_REF);
  expect(await formsOf('repo#agentv/results/v1')).toEqual([['agentv']]);
});

test('what is not there says so, with what could be named', async () => {
  initRepository(join(dir.path, 'repo'));
  for (const given of [
    'nowhere',
    'nowhere#branch',
    'repo#nobody',
    pathToFileURL(join(dir.path, 'nowhere')).href,
  ])
    await expect(formsOf(given), given).rejects.toMatchObject({ code: 'E_SOURCE_NONE' });
});
