import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cloneRepository,
  git,
  initRepository,
  openResults,
  type ResultsRepo,
  runIdAt,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import type { RunId } from '../base/index.ts';
import { RESULTS_REF } from './layout.ts';
import { removeRun, restoreRun, tagRun, untagRun } from './say.ts';

const CLONES = 3;
const RUNS = [1, 2, 3].map((n) => runIdAt(`2026-03-0${n}T00:00:00Z`, n));

interface Clone {
  readonly repo: ResultsRepo;
  readonly logs: string;
}

/** What people do. Runs are few, so that they meet; `flavor` makes other content of the same run. */
const step = fc.record({
  who: fc.nat(CLONES - 1),
  run: fc.constantFrom(...RUNS),
  flavor: fc.constantFrom('', 'x'),
  what: fc.constantFrom(
    'publish',
    'publish',
    'tag',
    'untag',
    'note',
    'remove',
    'restore',
    'fetch',
    'push',
    'push',
  ),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function take({ repo, logs }: Clone, { what, run, flavor }: Step): Promise<void> {
  const { store } = repo;
  if (what === 'fetch') await store.fetch();
  else if (what === 'push') await store.push();
  else if (what === 'publish') await repo.publish(await logOf(logs, run, flavor));
  // Nobody can say anything of a run that he does not see.
  else if (!(await sees(store, run))) return;
  else if (what === 'tag') await tagRun(store, [run], ['good', flavor || 'fast']);
  else if (what === 'untag') await untagRun(store, [run], ['good', 'x']);
  else if (what === 'remove') await removeRun(store, [run]);
  else if (what === 'restore') await restoreRun(store, [run]);
  else await store.say([run], () => [{ kind: 'note', text: flavor }]);
}

/** Each log is written once, and may be published often. */
async function logOf(logs: string, run: RunId, flavor: string): Promise<string> {
  const path = join(logs, `${run}${flavor}.eval`);
  return existsSync(path) ? path : writeRun(logs, run, flavor ? { header: { tags: [flavor] } } : {});
}

async function sees(store: ResultsRepo['store'], run: string): Promise<boolean> {
  return (await store.list({ limit: 9, withRemoved: true })).runs.some((one) => one.run === run);
}

/** Everything that a person could see of the results. */
async function seen({ store }: ResultsRepo): Promise<unknown> {
  const { runs } = await store.list({ limit: 99, withRemoved: true });
  return Promise.all(
    runs.map(async ({ run, marks, row }) => ({
      run,
      digest: row?.log.digest,
      revisions: (await store.find(run)).revisions,
      marks,
    })),
  );
}

async function makeClones(dir: string): Promise<Clone[]> {
  const remote = join(dir, 'remote.git');
  initRepository(remote, '--bare');
  return Promise.all(
    Array.from({ length: CLONES }, async (_, n) => {
      const [path, logs] = [join(dir, `clone${n}`), join(dir, `logs${n}`)];
      mkdirSync(logs);
      cloneRepository(remote, path);
      return { logs, repo: await openResults(path, { author: `Person${n}` }) };
    }),
  );
}

test('[RES-10] any interleaving of publish, tag, note, remove, fetch and push over several clones ends in the same results everywhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 12 }), async (steps) => {
      await using dir = await makeTempDir();
      const clones = await makeClones(dir.path);
      const published = new Set<string>();
      for (const one of steps) {
        await take(clones[one.who] as Clone, one);
        if (one.what === 'publish') published.add(one.run);
      }
      // Once each to send everything, and once more to bring what the later ones sent.
      for (const { repo } of [...clones, ...clones]) await repo.store.push();
      const all = await Promise.all(clones.map(({ repo }) => seen(repo)));
      expect(all[1]).toEqual(all[0]);
      expect(all[2]).toEqual(all[0]);
      expect((all[0] as { run: string }[]).map(({ run }) => run).sort()).toEqual([...published].sort());
      const trees = clones.map((_, n) =>
        git(join(dir.path, `clone${n}`), 'rev-parse', `${RESULTS_REF}^{tree}`),
      );
      expect(new Set(trees).size).toBe(1);
      for (const { repo } of clones) await repo[Symbol.asyncDispose]();
    }),
    { numRuns: Number(process.env.HOLDFAST_CLONE_RUNS ?? 6) },
  );
}, 300_000);
