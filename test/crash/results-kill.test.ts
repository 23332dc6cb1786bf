/** `results publish` and `results sync`, killed at any moment, with every git that they started: nothing is lost, nothing is doubled. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom, systemRandom } from '../../src/base/index.ts';
import { holdfast, startHoldfast } from '../e2e/holdfast.ts';
import { fixtureFields } from '../sim/log-fixture.ts';
import { cloneRepository, git, initRepository, openResults, runIdAt, writeRun } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';

const KILLS = Math.max(12, Math.round(Number(process.env.HOLDFAST_KILLS ?? 50) / 4));
const REF = 'refs/heads/holdfast/results';

/** Ends a command and whatever it started with SIGKILL, all at one moment. */
function killAll(mark: string): void {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      if (readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark))
        process.kill(Number(name), 'SIGKILL');
    } catch {
      // It ended while we looked.
    }
  }
}

async function killedAt(cwd: string, args: readonly string[], ms: number): Promise<boolean> {
  const mark = `kill-${systemRandom.next()}`;
  const started = startHoldfast(cwd, args, { HOLDFAST_TEST_MARK: mark });
  const isOver = await Promise.race([
    started.ended.then(() => true),
    new Promise<false>((resolve) => setTimeout(() => resolve(false), ms)),
  ]);
  if (!isOver) killAll(mark);
  await started.ended;
  return !isOver;
}

/** A git that is killed while it moves a ref leaves its lock, as E_REPOSITORY_LOCKED says; nobody else works here. */
function removeLocks(repo: string): void {
  for (const lock of [`${REF}.lock`, 'refs/remotes/origin/holdfast/results.lock', 'packed-refs.lock'])
    rmSync(join(repo, lock), { force: true });
}

function expectWhole(repo: string): void {
  if (git(repo, 'for-each-ref', REF) === '') return;
  expect(git(repo, 'fsck', '--no-dangling', '--no-progress')).not.toMatch(/error|missing|broken/);
}

async function commandTimeMs(cwd: string, args: readonly string[]): Promise<number> {
  const from = performance.now();
  await holdfast(cwd, args);
  return performance.now() - from;
}

test.skipIf(!existsSync('/proc/self/environ'))(
  'publish and sync that are killed at any moment lose and double nothing, and the branch is always whole',
  async () => {
    await using dir = await makeTempDir();
    const seed = Math.floor(systemRandom.next() * 2 ** 31);
    const random = seededRandom(seed);
    const [remote, here] = [join(dir.path, 'remote.git'), join(dir.path, 'here')];
    initRepository(remote, '--bare');
    cloneRepository(remote, here);
    const logs = join(here, 'logs');
    mkdirSync(logs);
    await holdfast(here, ['results', 'init']);
    const publish = ['results', 'publish', 'logs'];
    const sync = ['results', 'sync'];
    const write = (n: number) =>
      writeRun(logs, runIdAt('2026-03-01T00:00:00Z', n), {
        samples: [1, 2, 3].map((id) => ({
          fields: { ...fixtureFields(id), input: `${n}`.repeat(4_000) },
          events: [],
        })),
      });
    await write(0);
    const publishMs = await commandTimeMs(here, publish);
    const syncMs = await commandTimeMs(here, sync);
    let killed = 0;
    for (let n = 1; n <= KILLS; n++) {
      await write(n);
      if (await killedAt(here, publish, random.next() * publishMs)) killed++;
      removeLocks(join(here, '.git'));
      expectWhole(here);
      if (await killedAt(here, sync, random.next() * syncMs)) killed++;
      removeLocks(join(here, '.git'));
      removeLocks(remote);
      expectWhole(remote);
    }
    // How often it came too late says how busy the machine was while they were timed, and nothing else.
    expect(killed, `seed ${seed}`).toBeGreaterThan(0);
    expect((await holdfast(here, publish)).code, `seed ${seed}`).toBe(0);
    expect((await holdfast(here, sync)).code, `seed ${seed}`).toBe(0);
    for (const repo of [here, remote]) {
      await using results = await openResults(repo);
      const { runs } = await results.store.list({ limit: 1_000 });
      expect(
        runs.map(({ run }) => run),
        `seed ${seed}`,
      ).toEqual(Array.from({ length: KILLS + 1 }, (_, n) => runIdAt('2026-03-01T00:00:00Z', KILLS - n)));
      for (const { run } of runs) {
        expect((await results.store.find(run)).revisions, `seed ${seed}`).toBe(1);
        expect((await results.store.verify(run))?.problems, `seed ${seed}`).toEqual([]);
      }
    }
  },
  600_000,
);
