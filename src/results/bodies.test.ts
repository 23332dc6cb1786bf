import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fixtureFields } from '../../test/sim/log-fixture.ts';
import {
  git,
  initRepository,
  openResults,
  type ResultsRepo,
  runOfDay,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { systemClock } from '../base/index.ts';
import { directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import type { BodiesSetting } from './bodies.ts';
import { collectBodies, planCollection } from './collect-bodies.ts';
import { digestDocuments } from './documents.ts';
import { RESULTS_REF } from './layout.ts';
import { tagRun } from './say.ts';
import { verifyRun } from './verify-results.ts';

const dir = useTempDir();
let repo: string;
let logs: string;
let store: string;
beforeEach(() => {
  [repo, logs, store] = [join(dir.path, 'repo'), join(dir.path, 'logs'), join(dir.path, 'bucket')];
  mkdirSync(logs);
  mkdirSync(store);
  initRepository(repo);
});

const bucket = () => directoryBucket(nodeDisk, store);
const inBucket = (): BodiesSetting => ({ kept: 'bucket', bucket: bucket(), limitBytes: 2_000 });

/** One small sample and one large one. */
const samples = (text = 'x') => ({
  samples: [
    { fields: fixtureFields('small'), events: [] },
    { fields: { ...fixtureFields('large'), input: text.repeat(5_000) }, events: [] },
  ],
});

const bodyFiles = () =>
  readdirSync(join(store), { recursive: true, encoding: 'utf8' }).filter((one) => /[0-9a-f]{64}$/.test(one));

async function verify({ store: results }: ResultsRepo, run = runOfDay(1)) {
  const tree = await results.tree();
  const place = await tree.place(run);
  if (!place) throw new Error('it is published');
  return verifyRun(tree, place, await results.readPorts());
}

describe('bodies', () => {
  test('[RES-11] large documents of samples go to the bucket before the run is published, and come back checked', async () => {
    await using results = await openResults(repo, { bodies: inBucket() });
    const path = await writeRun(logs, runOfDay(1), samples());
    const { row } = await results.publish(path);
    expect(row.log.bodies).toMatchObject({ count: 1, kept: 'bucket' });
    expect(bodyFiles()).toHaveLength(1);
    const paths = git(repo, 'ls-tree', '-r', '--name-only', RESULTS_REF).split('\n');
    expect(paths.filter((one) => one.includes('large'))).toEqual([
      `runs/2026-03-01/${runOfDay(1)}/pointers/samples/large_epoch_1.json`,
    ]);
    const log = await results.store.open(await results.store.find(runOfDay(1)));
    expect((await digestDocuments(log)).digest).toBe(row.log.digest);
    expect((await log.sample('large', 1))?.input).toBe('x'.repeat(5_000));
    await log.close();
    expect(await verify(results)).toMatchObject({ revisions: 1, problems: [], leftOut: 0 });
  });

  test('[RES-11] a body that is flipped, gone, or in a bucket that is not named is told apart, and the rest is read', async () => {
    await using results = await openResults(repo, { bodies: inBucket() });
    await results.publish(await writeRun(logs, runOfDay(1), samples()));
    await using blind = await openResults(repo);
    const [file] = bodyFiles();
    const body = join(store, String(file));
    const open = async ({ store: one }: ResultsRepo) => one.open(await one.find(runOfDay(1)));
    const readLarge = async (one: ResultsRepo) => (await open(one)).sample('large', 1);
    await expect(readLarge(blind)).rejects.toMatchObject({ code: 'E_RESULT_BODY_AWAY' });
    expect(await (await open(blind)).sample('small', 1)).toMatchObject({ id: 'small' });
    const bytes = readFileSync(body);
    writeFileSync(body, bytes.toString('utf8').replace('xxxx', 'xxyx'));
    await expect(readLarge(results)).rejects.toMatchObject({ code: 'E_RESULT_BODY' });
    expect((await verify(results)).problems).toMatchObject([{ document: 'samples/large_epoch_1.json' }]);
    rmSync(body);
    await expect(readLarge(results)).rejects.toMatchObject({ code: 'E_RESULT_BODY_GONE' });
    expect((await verify(results)).problems).toHaveLength(1);
  });

  test('[RES-11] with summaries only, lists and headers are there and samples say that they are not kept', async () => {
    await using results = await openResults(repo, { bodies: { kept: 'summary' } });
    const { row } = await results.publish(await writeRun(logs, runOfDay(1), samples()));
    expect(row.log.bodies).toMatchObject({ count: 2, kept: 'nowhere' });
    const log = await results.store.open(await results.store.find(runOfDay(1)));
    const ids: unknown[] = [];
    for await (const { id } of log.summaries()) ids.push(id);
    expect(ids).toHaveLength(2);
    await expect(log.sample('small', 1)).rejects.toMatchObject({ code: 'E_RESULT_BODY_LEFT_OUT' });
    expect(await verify(results)).toMatchObject({ leftOut: 2, problems: [] });
  });
});

describe('gc', () => {
  const policy = { keepTags: [], onlyTags: [] };
  const plan = async ({ store: results }: ResultsRepo, more: object = {}) =>
    planCollection(
      await results.tree(),
      { ...policy, ...more },
      {
        ...(await results.readPorts()),
        bucket: bucket(),
        nowMs: systemClock.nowMs(),
      },
    );
  /** As if everything had been stored a month ago. */
  const age = () => {
    for (const file of bodyFiles())
      utimesSync(join(store, file), 1, systemClock.nowMs() / 1_000 - 30 * 86_400);
  };

  test('by age, by tag and by size; what a kept run has, too, stays', async () => {
    await using results = await openResults(repo, { bodies: inBucket() });
    await results.publish(await writeRun(logs, runOfDay(1), samples('a')));
    await results.publish(await writeRun(logs, runOfDay(2), samples('b')));
    await results.publish(await writeRun(logs, runOfDay(3), samples('b')));
    expect(bodyFiles()).toHaveLength(2);
    expect((await plan(results)).keys).toEqual([]);
    age();
    expect((await plan(results)).runs.map(({ run }) => run)).toEqual([runOfDay(3), runOfDay(2), runOfDay(1)]);
    const before = { beforeMs: Date.parse('2026-03-03T00:00:00Z') };
    const old = await plan(results, before);
    expect(old).toMatchObject({ runs: [{ run: runOfDay(1), bodies: 1 }], orphans: 0 });
    expect(old.keys).toHaveLength(1);
    await tagRun(results.store, [runOfDay(1)], ['gold']);
    expect((await plan(results, { ...before, keepTags: ['gold'] })).keys).toEqual([]);
    expect((await plan(results, { onlyTags: ['gold'] })).runs.map(({ run }) => run)).toEqual([runOfDay(1)]);
    expect((await plan(results, { keepBytes: 10 ** 9 })).keys).toEqual([]);
    // The newest stays, and the one before it has the same body.
    expect((await plan(results, { keepBytes: 12_000 })).runs.map(({ run }) => run)).toEqual([runOfDay(1)]);
  });

  test('that bodies go is said before they do: where the bucket fails, it is said all the same', async () => {
    const failing = withMethods(bucket(), { removeAll: () => Promise.reject(new Error('away')) });
    const setting = { kept: 'bucket', bucket: failing, limitBytes: 2_000 } as const;
    await using results = await openResults(repo, { bodies: setting });
    await results.publish(await writeRun(logs, runOfDay(1), samples()));
    age();
    await expect(collectBodies(results.store, await plan(results))).rejects.toThrow('away');
    expect(bodyFiles()).toHaveLength(1);
    const { runs } = (await results.store.list({ limit: 1 })) ?? {};
    expect(runs?.[0]?.marks?.collections).toMatchObject([{ bodies: 1 }]);
  });

  test('a body that no run points to goes once it is old enough to belong to nobody', async () => {
    await using results = await openResults(repo, { bodies: inBucket() });
    await results.publish(await writeRun(logs, runOfDay(1), samples()));
    await bucket().create(`bodies/ab/${'ab'.repeat(32)}`, Buffer.from('left'));
    expect(await plan(results, { keepBytes: 10 ** 9 })).toMatchObject({ keys: [], orphans: 0 });
    age();
    expect(await plan(results, { keepBytes: 10 ** 9 })).toMatchObject({
      keys: [`bodies/ab/${'ab'.repeat(32)}`],
      orphans: 1,
    });
  });
});
