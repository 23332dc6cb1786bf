import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fixtureFields } from '../../test/sim/log-fixture.ts';
import {
  cloneWithLogs,
  commitFiles,
  dropObject,
  git,
  gitInput,
  initRepository,
  listedIds,
  openResults,
  type ResultsRepo,
  runOfDay,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { planCollection } from './collect-bodies.ts';
import { FORMAT_FILE, RESULTS_REF } from './layout.ts';

const dir = useTempDir();
let repo: string;
let logs: string;
beforeEach(() => {
  [repo, logs] = [join(dir.path, 'repo'), join(dir.path, 'logs')];
  mkdirSync(logs);
  initRepository(repo);
});

const rowPath = (n: number) => `runs/2026-03-0${n}/${runOfDay(n)}/run.json`;
const problemsOf = async ({ store }: ResultsRepo, n = 1) => (await store.verify(runOfDay(n)))?.problems;

describe('what is broken in the results', () => {
  test('a row that cannot be read hinders no other run, and its log published again brings it back', async () => {
    const [first, second] = [await writeRun(logs, runOfDay(1)), await writeRun(logs, runOfDay(2))];
    await using results = await openResults(repo);
    await results.publish(first);
    commitFiles(repo, RESULTS_REF, { [rowPath(1)]: '{"version":1,' });
    await results.publish(second);
    const broken = (await results.store.list({ limit: 9 })).runs.find(({ run }) => run === runOfDay(1));
    expect(broken).toMatchObject({ damage: expect.stringContaining('cannot be read') });
    expect(await results.publish(first)).toMatchObject({ outcome: 'restored', row: { revision: 1 } });
    expect(await listedIds(results)).toEqual([runOfDay(2), runOfDay(1)]);
    expect(await results.publish(first)).toMatchObject({ outcome: 'there' });
    expect(await problemsOf(results)).toEqual([]);
  });

  test('a broken row of another log of the run stays told, beside the revision that can be read', async () => {
    await using results = await openResults(repo);
    await results.publish(await writeRun(logs, runOfDay(1)));
    commitFiles(repo, RESULTS_REF, { [rowPath(1)]: '{"version":1,' });
    const other = await writeRun(logs, runOfDay(1), { header: { tags: ['other'] } });
    expect(await results.publish(other)).toMatchObject({ outcome: 'revised', row: { revision: 1 } });
    const again = await results.store.find(runOfDay(1));
    expect(again.marks.damage).toEqual([expect.stringContaining('cannot be read')]);
    expect(await problemsOf(results)).toHaveLength(1);
  });

  test('bodies may not be dropped while nobody knows what a broken row points to', async () => {
    const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
    await using results = await openResults(repo, { bodies: { kept: 'bucket', bucket, limitBytes: 0 } });
    await results.publish(await writeRun(logs, runOfDay(1), large()));
    await results.publish(await writeRun(logs, runOfDay(1), { ...large(), header: { tags: ['b'] } }));
    commitFiles(repo, RESULTS_REF, { [rowPath(1)]: '{]' });
    const tree = await results.store.tree();
    const policy = { beforeMs: Date.now(), keepTags: [], onlyTags: [] };
    const ports = { ...(await results.store.readPorts()), bucket, nowMs: Date.now() + 9e9 };
    await expect(planCollection(tree, policy, ports)).rejects.toMatchObject({ code: 'E_RESULT_ROW' });
  });

  test('a document that is missing in the repository is there again when the log is published again', async () => {
    const path = await writeRun(logs, runOfDay(1));
    {
      await using results = await openResults(repo);
      await results.publish(path);
    }
    git(repo, 'repack', '-a', '-d', '-q');
    const folder = `${RESULTS_REF}:runs/2026-03-01/${runOfDay(1)}`;
    dropObject(repo, git(repo, 'rev-parse', `${folder}/log/summaries.json`));
    const before = git(repo, 'rev-parse', `${RESULTS_REF}^{tree}`);
    await using results = await openResults(repo);
    expect(await problemsOf(results)).not.toEqual([]);
    expect(await results.publish(path)).toMatchObject({ outcome: 'restored', row: { revision: 1 } });
    expect(await problemsOf(results)).toEqual([]);
    expect(git(repo, 'rev-parse', `${RESULTS_REF}^{tree}`)).toBe(before);
    expect(await results.publish(path)).toMatchObject({ outcome: 'there' });
    expect(git(repo, 'fsck', '--full', '--no-dangling', '--no-progress')).toBe('');
  });

  test('documents that were changed, taken away or added in the branch are as the log has them when it is published again', async () => {
    const path = await writeRun(logs, runOfDay(1));
    await using results = await openResults(repo);
    await results.publish(path);
    const whole = git(repo, 'rev-parse', `${RESULTS_REF}:runs`);
    const folder = `runs/2026-03-01/${runOfDay(1)}/log`;
    commitFiles(repo, RESULTS_REF, { [`${folder}/summaries.json`]: '[]', [`${folder}/more.json`]: '{}' });
    gitInput(
      repo,
      `commit ${RESULTS_REF}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom ${RESULTS_REF}^0\nD ${folder}/reductions.json\n`,
    );
    expect(await problemsOf(results)).toHaveLength(1);
    expect(await results.publish(path)).toMatchObject({ outcome: 'restored' });
    expect(await problemsOf(results)).toEqual([]);
    expect(git(repo, 'rev-parse', `${RESULTS_REF}:runs`)).toBe(whole);
  });

  test('bodies that are there again were not dropped: what is lost of them afterwards is damage', async () => {
    const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
    await using results = await openResults(repo, { bodies: { kept: 'bucket', bucket, limitBytes: 2_000 } });
    const path = await writeRun(logs, runOfDay(1), large());
    await results.publish(path);
    const body = async () => (await Array.fromAsync(bucket.list('bodies')))[0]?.key ?? '';
    await results.store.say([runOfDay(1)], () => [{ kind: 'collection', bodies: 1, sizeBytes: 9 }]);
    await bucket.remove(await body());
    expect(await results.store.verify(runOfDay(1))).toMatchObject({ dropped: 1, problems: [] });
    expect(await results.publish(path)).toMatchObject({ outcome: 'restored' });
    expect((await results.store.find(runOfDay(1))).marks.collections).toEqual([]);
    await bucket.remove(await body());
    expect(await problemsOf(results)).toHaveLength(1);
  });

  test('bodies that are gone from the bucket, or damaged there, are there again when the log is published again', async () => {
    const place = join(dir.path, 'bucket');
    const bucket = directoryBucket(nodeDisk, place);
    await using results = await openResults(repo, { bodies: { kept: 'bucket', bucket, limitBytes: 2_000 } });
    const path = await writeRun(logs, runOfDay(1), large());
    await results.publish(path);
    const [body = ''] = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((one) =>
      /[0-9a-f]{64}$/.test(one),
    );
    const key = body.replaceAll('\\', '/');
    const bytes = Buffer.from((await bucket.read(key)) ?? []);
    for (const damage of [undefined, Buffer.alloc(bytes.length)]) {
      await bucket.remove(key);
      if (damage) await bucket.create(key, damage);
      expect(await problemsOf(results)).toHaveLength(1);
      expect(await results.publish(path)).toMatchObject({ outcome: 'restored' });
      expect(await problemsOf(results)).toEqual([]);
      expect(Buffer.from((await bucket.read(key)) ?? [])).toEqual(bytes);
    }
  });
});

/** One small sample and one large one. */
function large() {
  return {
    samples: [
      { fields: fixtureFields('small'), events: [] },
      { fields: { ...fixtureFields('large'), input: 'x'.repeat(5_000) }, events: [] },
    ],
  };
}

describe('[RES-1] a branch of that name at the remote', () => {
  test.each([
    ['holds something else', { 'README.md': 'code' }, 'E_RESULTS_REF'],
    [
      'is of a newer version',
      { [FORMAT_FILE]: '{"format":"holdfast-results","version":2}' },
      'E_RESULTS_VERSION',
    ],
  ])('%s: nothing is sent or united, and what is here is listed all the same', async (_, files, code) => {
    const remote = join(dir.path, 'remote.git');
    initRepository(remote, '--bare');
    const a = cloneWithLogs(remote, join(dir.path, 'a'));
    {
      await using results = await openResults(a.path);
      await results.publish(await writeRun(a.logs, runOfDay(1)));
    }
    commitFiles(remote, RESULTS_REF, files);
    const theirs = git(remote, 'rev-parse', RESULTS_REF);
    await using results = await openResults(a.path);
    const ours = git(a.path, 'rev-parse', RESULTS_REF);
    await results.store.fetch();
    expect(await results.store.push()).toMatchObject({ outcome: 'refused', error: { code } });
    expect(git(remote, 'rev-parse', RESULTS_REF)).toBe(theirs);
    expect(git(a.path, 'rev-parse', RESULTS_REF)).toBe(ours);
    expect(await listedIds(results)).toEqual([runOfDay(1)]);
    expect((await results.store.status()).unread).toHaveLength(1);
    await results.publish(await writeRun(a.logs, runOfDay(2)));
    expect(await listedIds(results)).toEqual([runOfDay(2), runOfDay(1)]);
    expect(await results.store.init()).toBe(false);
    // Where there are no results yet, none are begun under that name.
    rmSync(a.path, { recursive: true });
    git(dir.path, 'clone', '--quiet', remote, a.path);
    await expect(openResults(a.path)).rejects.toMatchObject({ code });
  });
});
