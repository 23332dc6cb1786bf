import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  cloneRepository,
  commitFiles,
  GIT_ENV,
  git,
  initRepository,
  openResults,
  runOfDay,
  withLog,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import type { ObjectId } from '../git/index.ts';
import { RESULTS_REF } from './layout.ts';
import { openResults as openStore } from './results-store.ts';
import { tagRun } from './say.ts';

const dir = useTempDir();
const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
let repo: string;

beforeEach(() => {
  repo = join(dir.path, 'repo');
  initRepository(repo);
});

/** Publishes a run; gives the commit that did. */
async function publish(day: number, more = {}): Promise<string> {
  await using results = await openResults(repo);
  await results.publish(await writeRun(dir.path, runOfDay(day), more));
  return git(repo, 'rev-parse', RESULTS_REF);
}

const openAt = (at: string) => openStore({ ...ports, repo, at });

async function idsAt(at: string): Promise<readonly string[]> {
  await using store = await openAt(at);
  return (await store.list({ limit: 10 })).runs.map(({ run }) => run);
}

describe('results at a commit', () => {
  test('are what they were then, whatever came since: runs, revisions, notes', async () => {
    const first = await publish(1);
    await using results = await openResults(repo);
    await tagRun(results.store, [runOfDay(1)], ['later']);
    const second = await publish(2);
    await publish(1, { header: { tags: ['again'] } });
    expect(await idsAt(first)).toEqual([runOfDay(1)]);
    expect(await idsAt(second)).toEqual([runOfDay(2), runOfDay(1)]);
    await using store = await openAt(first);
    expect((await store.tree()).commits).toEqual([first]);
    const { revisions, marks } = await store.find(runOfDay(1));
    expect([revisions, marks.tags]).toEqual([1, []]);
    expect((await results.store.find(runOfDay(1))).revisions).toBe(2);
  });

  test('are found by the first digits of the commit, which also says when it was made', async () => {
    const commit = await publish(1);
    await using store = await openAt(commit.slice(0, 7));
    const seconds = Number(git(repo, 'log', '-1', '--format=%ct', commit));
    expect(store.pinned).toEqual({ commit, whenMs: seconds * 1_000 });
  });

  test('of a commit that another clone made are not those that were fetched as well', async () => {
    const first = await publish(1);
    const clone = join(dir.path, 'clone');
    cloneRepository(repo, clone);
    await publish(2);
    git(clone, 'fetch', '--quiet', 'origin', '+refs/heads/*:refs/remotes/origin/*');
    git(clone, 'update-ref', RESULTS_REF, first);
    await using all = await openStore({ ...ports, repo: clone });
    expect((await all.list({ limit: 10 })).runs).toHaveLength(2);
    await using store = await openStore({ ...ports, repo: clone, at: first });
    expect((await store.list({ limit: 10 })).runs).toHaveLength(1);
  });

  test('nothing is written through them', async () => {
    const commit = await publish(1);
    const path = await writeRun(dir.path, runOfDay(2));
    await using store = await openAt(commit);
    const refused = { code: 'E_RESULTS_PINNED', message: expect.stringContaining(commit.slice(0, 7)) };
    for (const change of [
      () => store.init(),
      () => withLog(path, (log) => store.publish(log, 'x.eval')),
      () => store.say([runOfDay(1)], async () => []),
      () => store.planArchive('2026-03-02'),
      () => store.archive({} as never),
      () => store.fetch(),
      () => store.push(),
      () => store.keepUp(),
    ])
      await expect(change()).rejects.toMatchObject(refused);
    expect(git(repo, 'rev-parse', RESULTS_REF)).toBe(commit);
  });

  test('take the settings of the store that they are of, such as its bucket', async () => {
    const bucket = directoryBucket(nodeDisk, join(dir.path, 'bodies'));
    const bodies = { kept: 'bucket', bucket, limitBytes: 0 } as const;
    await using results = await openResults(repo, { bodies });
    await results.publish(await writeRun(dir.path, runOfDay(1)));
    await using store = await results.store.pinnedTo(git(repo, 'rev-parse', RESULTS_REF));
    const { problems, remarks } = await store.check(await store.find(runOfDay(1)));
    expect([problems, remarks]).toEqual([[], []]);
  });
});

describe('a commit that cannot be read as results is refused, with what to do', () => {
  test('one that is not there may have to be fetched', async () => {
    await publish(1);
    await expect(openAt('0123456789')).rejects.toMatchObject({
      code: 'E_RESULTS_COMMIT',
      message: expect.stringMatching(/^There is no commit 0123456789 in the repository [^.]+\.git\.$/),
      hint: expect.stringContaining('holdfast results sync'),
    });
  });

  test('what is no commit, even where a branch is called so', async () => {
    const commit = await publish(1);
    const tree = git(repo, 'rev-parse', `${commit}^{tree}`);
    git(repo, 'branch', 'abcdef0', commit);
    for (const given of [tree, 'abcdef0', commit.slice(0, 6), 'HEAD', `${commit}^`, ''])
      await expect(openAt(given), given).rejects.toMatchObject({ code: 'E_RESULTS_COMMIT' });
    await expect(openAt(tree)).rejects.toThrow(/is no commit/);
  });

  test('one of the code holds no results', async () => {
    await publish(1);
    commitFiles(repo, 'refs/heads/main', { 'a.txt': 'a' });
    const main = git(repo, 'rev-parse', 'main');
    await expect(openAt(main)).rejects.toThrow(`The commit ${main.slice(0, 7)} holds no results.`);
  });

  test('one of several that begin alike', async () => {
    await publish(1);
    const [first, second] = alike();
    await expect(openAt(first.slice(0, 7))).rejects.toMatchObject({
      code: 'E_RESULTS_COMMIT',
      message: expect.stringContaining('Several commits'),
    });
    await expect(openAt(second)).rejects.toThrow(/holds no results/);
  });
});

describe('what is newest', () => {
  test('the commit that has all others in its history, here or fetched; none when only several have all', async () => {
    const first = await publish(1);
    const clone = join(dir.path, 'clone');
    cloneRepository(repo, clone);
    git(clone, 'update-ref', RESULTS_REF, first);
    await using theirs = await openResults(clone);
    const { store } = theirs;
    const is = (commit: string) => store.isNewest(commit as ObjectId);
    expect([await store.newest(), await is(first)]).toEqual([first, true]);
    const second = await publish(2);
    git(clone, 'fetch', '--quiet', 'origin', '+refs/heads/*:refs/remotes/origin/*');
    expect([await store.newest(), await is(first), await is(second)]).toEqual([second, false, true]);
    await theirs.publish(await writeRun(dir.path, runOfDay(3)));
    const third = git(clone, 'rev-parse', RESULTS_REF);
    expect([await store.newest(), await is(second), await is(third)]).toEqual([undefined, false, false]);
  });
});

/** Two commits of nothing whose ids begin with the same seven digits: among so many there are some. */
function alike(): readonly [string, string] {
  const tree = execFileSync('git', ['-C', repo, 'mktree'], { input: '', encoding: 'utf8' }).trim();
  const known = new Map<string, string>();
  for (let n = 0; ; n++) {
    const text = `tree ${tree}\nauthor x <x@y> 1 +0000\ncommitter x <x@y> 1 +0000\n\n${n}\n`;
    const id = createHash('sha1').update(`commit ${text.length}\0${text}`).digest('hex');
    const other = known.get(id.slice(0, 7));
    known.set(id.slice(0, 7), text);
    if (other !== undefined) return [write(other), write(text)];
  }
}

function write(commit: string): string {
  const args = ['-C', repo, 'hash-object', '-t', 'commit', '-w', '--stdin'];
  return execFileSync('git', args, { input: commit, encoding: 'utf8', env: GIT_ENV }).trim();
}
