import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
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
import { digestDocuments } from './documents.ts';
import { RESULTS_REF } from './layout.ts';

const dir = useTempDir();
let remote: string;
beforeEach(() => {
  remote = join(dir.path, 'remote.git');
  initRepository(remote, '--bare');
});

const clone = (name: string) => cloneWithLogs(remote, join(dir.path, name));

describe('sharing', () => {
  test('what one clone pushes another lists after a fetch, without a branch of its own being moved', async () => {
    const [a, b] = [clone('a'), clone('b')];
    await using one = await openResults(a.path);
    await one.publish(await writeRun(a.logs, runOfDay(1)));
    expect(await one.store.push()).toMatchObject({ outcome: 'pushed', remote: 'origin' });
    expect(await one.store.push()).toMatchObject({ outcome: 'current' });

    await using other = await openResults(b.path, { isBegun: false });
    expect(await other.store.isThere()).toBe(false);
    expect(await other.store.fetch()).toBe(true);
    expect(await listedIds(other)).toEqual([runOfDay(1)]);
    expect(git(b.path, 'for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('');
    // Publishing begins where the others are.
    await other.publish(await writeRun(b.logs, runOfDay(2)));
    expect(await listedIds(other)).toEqual([runOfDay(2), runOfDay(1)]);
    expect(await other.store.push()).toMatchObject({ outcome: 'pushed', raced: 0 });
  });

  test('[RES-10] clones that published apart are united by whoever pushes later; both lists and both trees are equal', async () => {
    const [a, b] = [clone('a'), clone('b')];
    await using one = await openResults(a.path);
    await using other = await openResults(b.path);
    await one.publish(await writeRun(a.logs, runOfDay(1)));
    await other.publish(await writeRun(b.logs, runOfDay(2)));
    expect(await one.store.push()).toMatchObject({ outcome: 'pushed', raced: 0 });
    expect(await other.store.push()).toMatchObject({ outcome: 'pushed', raced: 1 });
    // It was behind, and after uniting there is nothing left to send.
    expect(await one.store.push()).toMatchObject({ outcome: 'current', raced: 1 });
    expect(await listedIds(one)).toEqual([runOfDay(2), runOfDay(1)]);
    expect(await listedIds(other)).toEqual([runOfDay(2), runOfDay(1)]);
    expect(git(a.path, 'rev-parse', RESULTS_REF)).toBe(git(remote, 'rev-parse', RESULTS_REF));
    expect(git(remote, 'fsck', '--strict', '--no-dangling')).not.toContain('error');
    // The commits that published them are still the ones that are named.
    const { revision } = await one.store.find(runOfDay(2));
    expect(git(a.path, 'log', '-1', '--format=%B', String(await one.store.commitOf(revision)))).toContain(
      runOfDay(2),
    );
  });

  test('three clones that push at once, several times over real pushes, all land', async () => {
    const clones = ['a', 'b', 'c'].map(clone);
    const repos = await Promise.all(clones.map(({ path }, n) => openResults(path, { author: `Person${n}` })));
    for (let round = 0; round < 3; round++) {
      const ended = await Promise.all(
        repos.map(async (repo, n) => {
          await repo.publish(
            await writeRun(clones[n]?.logs ?? '', runIdAt('2026-05-01T00:00:00Z', 10 * round + n)),
          );
          return repo.store.push();
        }),
      );
      expect(ended.map(({ outcome }) => outcome)).toEqual(['pushed', 'pushed', 'pushed']);
    }
    for (const repo of repos) await repo.store.fetch();
    const lists = await Promise.all(repos.map(listedIds));
    expect(lists[0]).toHaveLength(9);
    expect(lists[1]).toEqual(lists[0]);
    expect(lists[2]).toEqual(lists[0]);
    for (const repo of repos) await repo[Symbol.asyncDispose]();
  });

  test('[RES-5] [RES-10] two first revisions of one run that were published apart are both kept, and everybody names the same newest', async () => {
    const [a, b] = [clone('a'), clone('b')];
    await using one = await openResults(a.path);
    await using other = await openResults(b.path);
    const first = await one.publish(await writeRun(a.logs, runOfDay(1)));
    const second = await other.publish(await writeRun(b.logs, runOfDay(1), { header: { tags: ['again'] } }));
    expect([first.row.revision, second.row.revision]).toEqual([1, 1]);
    await one.store.push();
    await other.store.push();
    await one.store.push();
    const found = await Promise.all([one, other].map(({ store }) => store.find(runOfDay(1))));
    for (const { revisions, revision } of found) {
      expect(revisions).toBe(2);
      expect(revision.row.log.digest).toBe(found[0]?.revision.row.log.digest);
    }
    for (const { store } of [one, other]) {
      const tree = await store.tree();
      for (const revision of await tree.find(runOfDay(1))) {
        const log = await store.open({ revision });
        expect((await log.header()).eval.run_id).toBe(runOfDay(1));
        expect(await digestOf(log)).toBe(revision.row.log.digest);
        await log.close();
      }
    }
    expect(git(a.path, 'rev-parse', `${RESULTS_REF}^{tree}`)).toBe(
      git(b.path, 'rev-parse', `${RESULTS_REF}^{tree}`),
    );
  });

  test('the same log that two clones publish is one revision', async () => {
    const [a, b] = [clone('a'), clone('b')];
    await using one = await openResults(a.path, { author: 'Ada' });
    await using other = await openResults(b.path, { author: 'Bob' });
    const path = await writeRun(a.logs, runOfDay(1));
    await one.publish(path);
    await other.publish(path);
    await one.store.push();
    await other.store.push();
    expect(await other.store.find(runOfDay(1))).toMatchObject({ revisions: 1 });
    expect((await other.store.list({ limit: 9 })).runs).toHaveLength(1);
  });

  test('a revision of a run that only others have published is found with it', async () => {
    const [a, b] = [clone('a'), clone('b')];
    await using one = await openResults(a.path);
    await one.publish(await writeRun(a.logs, runOfDay(1)));
    await one.store.push();
    await using other = await openResults(b.path);
    await other.store.fetch();
    const again = await other.publish(await writeRun(b.logs, runOfDay(1), { header: { tags: ['again'] } }));
    expect(again).toMatchObject({ outcome: 'revised', row: { revision: 2 } });
    expect(await other.store.find(runOfDay(1))).toMatchObject({
      revisions: 2,
      revision: { row: { revision: 2 } },
    });
    await other.store.push();
    await one.store.fetch();
    expect(await one.store.find(runOfDay(1))).toMatchObject({
      revisions: 2,
      revision: { row: { revision: 2 } },
    });
  });
});

describe('remotes that do not play along', () => {
  test('without a remote nothing is sent, and that is said', async () => {
    const alone = join(dir.path, 'alone');
    initRepository(alone);
    await using one = await openResults(alone);
    expect(await one.store.push()).toEqual({ outcome: 'no remote' });
    expect(await one.store.fetch()).toBeUndefined();
  });

  test('a remote that is gone is told as such, and what was published stays', async () => {
    const a = clone('a');
    await using one = await openResults(a.path);
    await one.publish(await writeRun(a.logs, runOfDay(1)));
    rmSync(remote, { recursive: true });
    expect(await one.store.push()).toMatchObject({ outcome: 'refused', error: { code: 'E_REMOTE_UNKNOWN' } });
    git(a.path, 'remote', 'set-url', 'origin', 'http://127.0.0.1:9/none.git');
    expect(await one.store.push()).toMatchObject({ outcome: 'offline', error: { code: 'E_REMOTE_AWAY' } });
    await expect(one.store.fetch()).rejects.toMatchObject({ code: 'E_REMOTE_AWAY' });
    expect(await listedIds(one)).toEqual([runOfDay(1)]);
  });

  test('a hook of the remote that declines is a refusal with its words, and nothing is forced', async () => {
    const a = clone('a');
    const hook = join(remote, 'hooks', 'pre-receive');
    mkdirSync(join(remote, 'hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\necho "no results here" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
    await using one = await openResults(a.path);
    await one.publish(await writeRun(a.logs, runOfDay(1)));
    expect(await one.store.push()).toMatchObject({
      outcome: 'refused',
      error: { code: 'E_REMOTE_REFUSED', message: expect.stringContaining('hook declined') },
    });
    expect(git(remote, 'for-each-ref')).toBe('');
  });

  test('a remote that is named and not there is refused before anything is sent', async () => {
    const a = clone('a');
    await using one = await openResults(a.path, { remote: 'upstream' });
    await expect(one.store.push()).rejects.toMatchObject({
      code: 'E_REMOTE_UNKNOWN',
      message: expect.stringContaining('origin'),
    });
  });
});

async function digestOf(log: Parameters<typeof digestDocuments>[0]): Promise<string> {
  return (await digestDocuments(log)).digest;
}
