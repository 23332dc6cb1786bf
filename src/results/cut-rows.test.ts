import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { fixtureFields, fixtureSpec, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { initRepository, openResults, runOfDay, writeRun } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { planCollection } from './collect-bodies.ts';
import { tagRun, untagRun } from './say.ts';

const dir = useTempDir();
let repo: string;
let logs: string;
beforeEach(() => {
  [repo, logs] = [join(dir.path, 'repo'), join(dir.path, 'logs')];
  mkdirSync(logs);
  mkdirSync(join(dir.path, 'bucket'));
  initRepository(repo);
});

const TAGS = Array.from({ length: 40 }, (_, n) => `tag ${n} ${'x'.repeat(60)}`);

test('[RES-6] tags that the row has no room for are found, taken away and kept by, as any other', async () => {
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  await using results = await openResults(repo, { bodies: { kept: 'bucket', bucket, limitBytes: 1 } });
  const run = runOfDay(1);
  const header = { eval: fixtureSpec({ run_id: run }), tags: TAGS };
  const samples = [{ fields: fixtureFields('s'), events: [] }];
  await writeFixtureLog(nodeDisk, join(logs, 'x.eval'), { header, samples });
  await results.publish(join(logs, 'x.eval'));
  await results.publish(await writeRun(logs, runOfDay(2)));
  const { store } = results;
  const [last = ''] = TAGS.slice(-1);
  const tagged = async (tag: string) => (await store.list({ limit: 9, tag })).runs.map((one) => one.run);
  expect((await store.find(run)).revision.row.tags.length).toBeLessThan(TAGS.length);
  expect((await store.find(run)).marks.tags).toEqual(TAGS);
  expect(await tagged(last)).toEqual([run]);
  await untagRun(store, [run], [last]);
  expect(await tagged(last)).toEqual([]);
  await tagRun(store, [run], [last]);
  expect(await tagged(last)).toEqual([run]);
  const plan = await planCollection(
    await store.tree(),
    { keepTags: [last], onlyTags: [] },
    { ...(await store.readPorts()), bucket, nowMs: Date.parse('2999-01-01T00:00:00Z') },
  );
  expect(plan.runs.map((one) => one.run)).toEqual([runOfDay(2)]);
});

test('[RES-6] a name that is cut in the row is filtered by as it was given', async () => {
  await using results = await openResults(repo);
  const name = `eval ${'with a long name '.repeat(150)}`;
  await results.publish(await writeRun(logs, runOfDay(1), { spec: { task: name } }));
  const listed = async (of: string) => (await results.store.list({ limit: 9, eval: of })).runs.length;
  expect((await results.store.find(runOfDay(1))).revision.row.eval.length).toBeLessThan(name.length);
  expect(await listed(name)).toBe(1);
  expect(await listed('eval with another name')).toBe(0);
});
