/** What one machine built, the next one pulls: real commands, a real server. */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openS3Bucket } from '../../../src/bucket/s3/s3-bucket.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { building, buildOf, neverBuild, openCache, partsOf } from '../../sim/artifact-fixture.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { useTempDir } from '../../sim/use-temp-dir.ts';
import { holdfast } from '../holdfast.ts';

const s3 = useS3();
const dir = useTempDir();

describe.skipIf(obstacle !== undefined)(onServer('artifacts in S3'), () => {
  test('[ART-13] artifacts are pushed to S3, pulled on another machine, and what is lost there is named', async () => {
    const store = `s3://tests/${randomUUID()}/artifacts`;
    const [here, there] = [join(dir.path, 'here'), join(dir.path, 'there')];
    for (const place of [here, there]) mkdirSync(place);
    const cache = openCache(join(here, '.holdfast/artifacts'));
    for (const key of ['a key/with ünicode', 'db2'])
      await cache.buildOnce(partsOf(key), building(buildOf({ 'a.md': key, 'same.md': 'same' })));
    const run = (cwd: string, ...args: readonly string[]) =>
      holdfast(cwd, ['artifacts', ...args, '--store', store, '--json'], s3.env);
    const pushed = await run(here, 'push');
    expect([pushed.code, pushed.stderr]).toEqual([0, '']);
    expect(JSON.parse(pushed.stdout).entries).toMatchObject([
      { state: 'pushed', files: 2 },
      { state: 'pushed', files: 1 },
    ]);
    const pulled = await run(there, 'pull');
    expect([pulled.code, pulled.stderr]).toEqual([0, '']);
    const other = openCache(join(there, '.holdfast/artifacts'));
    expect((await other.buildOnce(partsOf('db2'), building(neverBuild))).origin).toBe('here');
    expect(JSON.parse((await run(here, 'push')).stdout).entries).toMatchObject([
      { state: 'already-there' },
      { state: 'already-there' },
    ]);
    const bucket = await openS3Bucket(store, { disk: nodeDisk });
    const objects = await Array.fromAsync(bucket.list('objects'));
    await bucket.remove(objects[0]?.key ?? '');
    const third = join(dir.path, 'third');
    mkdirSync(third);
    const incomplete = await run(third, 'pull');
    expect(incomplete.code).toBe(1);
    expect(incomplete.stdout).toContain('"state":"incomplete"');
  });
});
