import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  git,
  initRepository,
  openResults,
  type ResultsRepo,
  runIdAt,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { importCommit, type ObjectId } from '../git/index.ts';
import { tagRun } from './say.ts';
import { filesToUnite } from './unite.ts';

const dir = useTempDir();
let together: string;
beforeEach(() => {
  together = join(dir.path, 'together');
  initRepository(together, '--bare');
});

const RUN = runIdAt('2026-03-01T00:00:00Z', 1);

/** Results that were made apart, of which each has another first revision of the same run. Gives their commits, in one repository. */
async function madeApart(names: readonly string[]): Promise<ObjectId[]> {
  const commits: ObjectId[] = [];
  for (const name of names) {
    const [repo, logs] = [join(dir.path, name), join(dir.path, `${name}-logs`)];
    initRepository(repo);
    mkdirSync(logs);
    await using results = await openResults(repo, { author: name });
    await results.publish(await writeRun(logs, RUN, { header: { tags: [name] } }));
    await results.publish(await writeRun(logs, runIdAt('2026-03-02T00:00:00Z', commits.length)));
    // A revision that several have, at the root of one and among the further ones of another.
    await results.publish(
      await writeRun(logs, RUN, { header: { tags: [String(names[0])] } }).catch(() =>
        join(logs, `${RUN}${name}.eval`),
      ),
    );
    await tagRun(results.store, [RUN], [`of ${name}`]);
    git(together, 'fetch', '--quiet', repo, `+refs/heads/holdfast/results:refs/heads/${name}`);
    commits.push(git(together, 'rev-parse', `refs/heads/${name}`) as ObjectId);
  }
  return commits;
}

async function unite({ ports }: ResultsRepo, theirs: ObjectId, ours: ObjectId): Promise<ObjectId> {
  const treeOf = (commit: ObjectId) => git(together, 'rev-parse', `${commit}^{tree}`) as ObjectId;
  const files = await filesToUnite(ports.objects, { theirs: treeOf(theirs), ours: treeOf(ours) });
  const made = await importCommit(ports.git, {
    ref: `refs/heads/united-${git(together, 'for-each-ref', '--format=x').length}`,
    from: theirs,
    merge: ours,
    message: 'x',
    author: { name: 'x', email: 'x@y' },
    seconds: 1,
    files,
  });
  if (!made) throw new Error('the branch is new');
  return made;
}

test('[RES-10] uniting is commutative, associative and idempotent: the tree is the same, whoever unites what first', async () => {
  const [a, b, c] = (await madeApart(['ada', 'bob', 'cleo'])) as [ObjectId, ObjectId, ObjectId];
  await using results = await openResults(together, { isBegun: false });
  const ways: readonly (() => Promise<ObjectId>)[] = [
    async () => unite(results, await unite(results, a, b), c),
    async () => unite(results, await unite(results, b, a), c),
    async () => unite(results, c, await unite(results, a, b)),
    async () => unite(results, a, await unite(results, c, b)),
    async () => unite(results, await unite(results, await unite(results, c, a), b), a),
  ];
  const trees = new Set<string>();
  for (const way of ways) trees.add(git(together, 'rev-parse', `${await way()}^{tree}`));
  expect(trees.size).toBe(1);
  const [tree] = [...trees] as [ObjectId];
  for (const one of [a, b, c]) {
    const ours = git(together, 'rev-parse', `${one}^{tree}`) as ObjectId;
    expect(await filesToUnite(results.ports.objects, { theirs: tree, ours })).toEqual([]);
  }
  const revisions = git(together, 'ls-tree', '--name-only', `${tree}:runs/2026-03-01/${RUN}/revisions`).split(
    '\n',
  );
  expect(revisions).toHaveLength(2);
});
