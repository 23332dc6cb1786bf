import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  cloneWithLogs,
  git,
  initRepository,
  listedIds,
  openResults,
  runIdAt,
  runOfDay,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { tagRun } from './say.ts';

const dir = useTempDir();
let remote: string;
beforeEach(() => {
  remote = join(dir.path, 'remote.git');
  initRepository(remote, '--bare');
});

const clone = (name: string) => cloneWithLogs(remote, join(dir.path, name));

test('[RES-12] results go on in a new branch without old runs; the old one stays as it is, and nothing is published there again', async () => {
  const a = clone('a');
  await using results = await openResults(a.path);
  const old = await writeRun(a.logs, runOfDay(1));
  await results.publish(old);
  await results.publish(await writeRun(a.logs, runOfDay(3)));
  await tagRun(results.store, [runOfDay(3)], ['kept']);
  const before = git(a.path, 'rev-parse', 'holdfast/results');
  const plan = await results.store.planArchive('2026-03-02');
  expect(plan).toMatchObject({ runs: 1, days: 1, next: 'refs/heads/holdfast/results-2' });
  expect(await results.store.archive(plan)).toBe(true);
  expect(await listedIds(results)).toEqual([runOfDay(3)]);
  expect((await results.store.find(runOfDay(3))).marks.tags).toEqual(['kept']);
  expect(git(a.path, 'rev-parse', 'holdfast/results')).toBe(before);
  expect(git(a.path, 'rev-list', '--count', 'holdfast/results-2')).toBe('1');
  expect((await results.publish(old)).outcome).toBe('there');
  await using archive = await openResults(a.path, { branch: 'holdfast/results' });
  expect(await listedIds(archive)).toEqual([runOfDay(3), runOfDay(1)]);
});

test('[RES-12] others go on in the new branch after a fetch, and what they had published meanwhile comes along', async () => {
  const [a, b] = [clone('a'), clone('b')];
  await using one = await openResults(a.path);
  for (const n of [1, 3]) await one.publish(await writeRun(a.logs, runOfDay(n)));
  await one.store.push();
  await using other = await openResults(b.path);
  await other.store.fetch();
  await one.store.archive(await one.store.planArchive('2026-03-02'));
  await one.store.push();
  // These do not know yet: one of an archived day, and one of a later.
  await other.publish(await writeRun(b.logs, runIdAt('2026-03-01T12:00:00Z', 7)));
  await other.publish(await writeRun(b.logs, runOfDay(4)));
  expect(await other.store.fetch()).toBe(true);
  expect(other.store.ref).toBe('refs/heads/holdfast/results-2');
  expect(await other.store.push()).toMatchObject({ outcome: 'pushed' });
  const expected = [runOfDay(4), runOfDay(3), runIdAt('2026-03-01T12:00:00Z', 7)];
  expect(await listedIds(other)).toEqual(expected);
  await one.store.fetch();
  expect(await listedIds(one)).toEqual(expected);
  expect((await one.store.verify(runOfDay(4)))?.problems).toEqual([]);
});
