/** What the log of a submitted run says of its code: whether the commit alone gives what workers ran, and with which Node they did. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { headerOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { jsonOf } from './holdfast.ts';
import { commitAll, git, type SharedProject, sharedProject } from './shared-project.ts';

const redis = useRedis();

/** None of these files is loaded where the run is submitted: only the bundle knows of them. */
const CASES: readonly (readonly [string, boolean, (project: SharedProject) => void])[] = [
  ['all is committed', false, () => undefined],
  ['a file that git tracks was changed', true, ({ path }) => writeFileSync(join(path, 'kept.ts'), 'other')],
  ['a file that git does not know lies there', true, ({ path }) => writeFileSync(join(path, 'new.ts'), '')],
  [
    'git was told not to look at a file',
    true,
    ({ path }) => {
      git(path, 'update-index', '--assume-unchanged', 'kept.ts');
      writeFileSync(join(path, 'kept.ts'), 'other');
    },
  ],
  [
    'a file that git ignores is listed',
    true,
    ({ path }) => {
      writeFileSync(join(path, 'ignored.ts'), '');
      const files = ['*.ts'];
      writeFileSync(join(path, 'holdfast.config.json'), JSON.stringify({ bundle: { files } }));
      commitAll(path);
    },
  ],
];

describe.skipIf(redisObstacle !== undefined)(onRedis('the log of a submitted run'), () => {
  test('is marked when the commit alone does not give what went to workers', async () => {
    await using project = await sharedProject({ samples: 1, queue: redis.url() });
    writeFileSync(join(project.path, 'kept.ts'), 'as it is');
    writeFileSync(join(project.path, '.gitignore'), 'logs/\n.holdfast/\nignored.ts\n');
    commitAll(project.path);
    await project.worker();
    const marked: string[] = [];
    for (const [what, isDirty, change] of CASES) {
      change(project);
      const submit = ['submit', 'shared.eval.ts', '--fresh', '--json'];
      const { exitCode, runs } = jsonOf(await project.holdfast(submit));
      expect({ what, exitCode }).toEqual({ what, exitCode: 0 });
      const { revision, metadata } = (await headerOf(runs[0].log)).eval;
      // Of whoever submitted and of the worker.
      expect(metadata).toMatchObject({
        holdfast_shared: { nodes: [{ version: process.versions.node, writers: 2 }] },
      });
      expect({ what, dirty: revision?.dirty }).toEqual({ what, dirty: isDirty });
      if (isDirty) {
        marked.push(runs[0].run);
        const { error } = jsonOf(await project.holdfast([...submit, '--detach']));
        expect({ what, code: error?.code }).toEqual({ what, code: 'E_BUNDLE_DIRTY' });
      }
      git(project.path, 'update-index', '--no-assume-unchanged', 'kept.ts');
      git(project.path, 'checkout', 'kept.ts');
      rmSync(join(project.path, 'new.ts'), { force: true });
    }
    const list = ['results', 'list', '--source', 'logs', '--where', 'is:dirty', '--json'];
    const { runs } = jsonOf(await project.holdfast(list));
    expect(runs.map(({ run }: { run: string }) => run).sort()).toEqual(marked.sort());
  }, 240_000);
});
