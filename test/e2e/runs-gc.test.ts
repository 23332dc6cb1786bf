/** What nobody needs any more goes from the bucket, and nothing else: runs that are home, and bundles that no run names. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { filesBelow, holdfast } from './holdfast.ts';
import { commitAll, git, sharedProject } from './shared-project.ts';

const redis = useRedis();

describe.skipIf(redisObstacle !== undefined)(onRedis('holdfast runs gc'), () => {
  test('a run that was cancelled before anything was done says so, and how to go on', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const submitted = await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json']);
    const [{ run }] = JSON.parse(submitted.stdout).runs;
    await project.holdfast(['runs', 'cancel', run]);
    const fetched = await project.holdfast(['runs', 'fetch', run]);
    expect(fetched.code).toBe(4);
    expect(fetched.stdout).toContain('cancelled before anything was done');
    expect(fetched.stdout).toContain(`holdfast runs resume ${run}`);
    expect(fetched.stdout).not.toContain('under way');
  });

  test('a run that is home goes, and its bundle when nobody is about to submit', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const shared = join(project.bucket, '.holdfast/shared');
    const filesOfBundles = () =>
      readdirSync(join(shared, 'bundles'), { recursive: true, withFileTypes: true }).filter((one) =>
        one.isFile(),
      );
    const gc = ['runs', 'gc', '--older-than', '0d'];
    await project.worker();
    const submitted = await project.holdfast(['submit', 'shared.eval.ts', '--json']);
    const [{ run, bundle }] = JSON.parse(submitted.stdout).runs;
    expect(filesOfBundles().filter(({ parentPath }) => parentPath.includes('submits'))).toEqual([]);
    const would = await project.holdfast([...gc, '--dry-run', '--json']);
    expect(JSON.parse(would.stdout)).toMatchObject({
      runs: [{ run, isRemoved: true }],
      bundles: { removed: [{ digest: bundle, bytes: expect.any(Number) }] },
    });
    expect(existsSync(join(shared, 'bundles', bundle))).toBe(true);

    // Somebody else is about to submit with the same bundle.
    const sign = join(shared, 'bundles/submits/somebody');
    mkdirSync(join(sign, '..'), { recursive: true });
    writeFileSync(sign, '');
    expect(JSON.parse((await project.holdfast([...gc, '--json'])).stdout)).toMatchObject({
      runs: [{ run, isRemoved: true }],
      bundles: { removed: [], kept: 'somebody is submitting a run' },
    });
    rmSync(sign);
    const said = await project.holdfast(gc);
    expect(said.stdout).toContain(`the bundle ${bundle.slice(0, 12)} (`);
    expect(filesOfBundles()).toEqual([]);
    expect(existsSync(join(shared, run, 'shared/submission'))).toBe(false);
  }, 120_000);

  test('what published results point at in the same bucket stays: a fresh clone reads a run that was collected', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const settings = { results: { bodies: 'bucket', bodyLimit: '1B' } };
    writeFileSync(join(project.path, 'holdfast.config.json'), JSON.stringify(settings));
    commitAll(project.path);
    await project.holdfast(['results', 'init']);
    await project.worker();
    const submitted = await project.holdfast(['submit', 'shared.eval.ts', '--json']);
    const [{ run, published }] = JSON.parse(submitted.stdout).runs;
    expect(published).toMatchObject({ runs: [{ outcome: 'published' }] });
    const bodies = () => filesBelow(join(project.bucket, 'bodies'));
    const before = bodies();
    expect(before.length).toBeGreaterThan(0);
    const gc = await project.holdfast(['runs', 'gc', '--older-than', '0d', '--json']);
    expect(JSON.parse(gc.stdout)).toMatchObject({ runs: [{ run, isRemoved: true }] });
    expect(existsSync(join(project.bucket, '.holdfast/shared', run, 'shared/submission'))).toBe(false);
    expect(bodies()).toEqual(before);

    const clone = join(project.path, '../clone');
    git(project.path, 'clone', '-q', project.path, clone);
    // It has the results and the bucket, and none of the logs.
    const read = await holdfast(clone, ['log', 'dump', run], { HOLDFAST_BUCKET: project.bucket });
    expect(read).toMatchObject({ code: 0, stdout: expect.stringContaining('heard q1 second') });
    const verified = await holdfast(clone, ['results', 'verify', run], { HOLDFAST_BUCKET: project.bucket });
    expect(verified.code).toBe(0);
  }, 120_000);

  test('[SHR-26] a run that lost its submission stays, is named, and ends with 3', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const submitted = await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json']);
    const [{ run }] = JSON.parse(submitted.stdout).runs;
    const folder = join(project.bucket, '.holdfast/shared', run, 'shared');
    mkdirSync(join(folder, 'fetched'));
    writeFileSync(join(folder, 'fetched/0001.partly'), '{}');
    rmSync(join(folder, 'submission'));
    const { stdout } = await project.holdfast(['runs', 'gc', '--older-than', '0d', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      exitCode: 3,
      runs: [{ run, isRemoved: false, isDamaged: true, reason: expect.stringContaining('is gone') }],
      bundles: { removed: [], kept: `nobody can tell which one ${run} needs` },
    });
    expect(existsSync(join(folder, 'fetched/0001.partly'))).toBe(true);
  });
});
