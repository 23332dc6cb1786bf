import { expect, test } from 'vitest';
import { git, initRepository, openResults, runOfDay, writeRun } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { resultsSource } from './results-source.ts';

const dir = useTempDir();

test('[SRC-8] at a commit the results are what they were, whatever comes: lists, changes, runs by their ids', async () => {
  initRepository(dir.path);
  await using results = await openResults(dir.path);
  const source = resultsSource(results.store);
  await results.publish(await writeRun(dir.path, runOfDay(1)));
  const commit = git(dir.path, 'rev-parse', 'holdfast/results');
  await using then = await source.at?.(commit);
  if (!then) throw new Error('results have commits');
  const { position } = (await then.changes?.(undefined)) ?? {};
  await results.publish(await writeRun(dir.path, runOfDay(2)));
  await results.publish(await writeRun(dir.path, runOfDay(1), { header: { tags: ['again'] } }));
  const ids = async (of: typeof source) => (await Array.fromAsync(of.runs())).map(({ run }) => run);
  expect([await ids(source), await ids(then)]).toEqual([[runOfDay(2), runOfDay(1)], [runOfDay(1)]]);
  expect(await then.find(runOfDay(2))).toBeUndefined();
  expect([(await then.find(runOfDay(1)))?.row?.tags, (await source.find(runOfDay(1)))?.row?.tags]).toEqual([
    [],
    ['again'],
  ]);
  const changes = await then.changes?.(position);
  expect([changes?.isAll, changes?.position, await Array.fromAsync(changes?.runs ?? [])]).toEqual([
    false,
    position,
    [],
  ]);
  expect([then.place, then.kind]).toEqual([source.place, 'results']);
});
