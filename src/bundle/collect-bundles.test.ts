import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleOf, makeProject, writeFiles } from '../../test/sim/bundle-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { digestOf } from '../base/index.ts';
import { locksOf, nodeDisk } from '../disk/index.ts';
import { collectBundles } from './collect-bundles.ts';
import { installBundle } from './install-bundle.ts';
import { uploadBundle } from './upload-bundle.ts';

const temp = useTempDir();
const DAY_MS = 86_400_000;

/** Two installed bundles, which share all but one file. */
async function installed() {
  const place = { bucket: memoryBucket(), prefix: '' };
  const project = makeProject(join(temp.path, 'project'));
  const dir = join(temp.path, 'worker');
  const install = async () => {
    const bundle = await bundleOf(project);
    await uploadBundle(place, bundle, { disk: nodeDisk });
    await installBundle({ disk: nodeDisk, place, digest: bundle.digest, dir, env: process.env });
    return bundle.digest;
  };
  const first = await install();
  writeFiles(project, { 'lib/add.ts': 'new' });
  const second = await install();
  const objects = () =>
    readdirSync(join(dir, 'objects')).flatMap((start) => readdirSync(join(dir, 'objects', start)));
  const unusedFor = (digest: string, days: number) => {
    const at = new Date(Date.now() - days * DAY_MS);
    utimesSync(join(dir, digest, 'used'), at, at);
  };
  const collect = (wanted: readonly string[] = []) =>
    collectBundles({
      ...{ disk: nodeDisk, dir, wanted: new Set(wanted), nowMs: Date.now(), keepMs: 7 * DAY_MS },
    });
  return { place, project, dir, first, second, objects, unusedFor, collect };
}

test('[BUN-14] a bundle that nobody used for a week goes, with contents that no other has; the next who wants it has it installed anew', async () => {
  const { place, dir, first, second, objects, unusedFor, collect } = await installed();
  expect(await collect()).toEqual([]);
  unusedFor(first, 8);
  expect(await collect()).toEqual([first]);
  expect([existsSync(join(dir, first)), existsSync(join(dir, second))]).toEqual([false, true]);
  expect(objects()).not.toContain(digestOf('export const add = 1;\n'));
  expect(objects()).toContain(digestOf('new'));
  await installBundle({ disk: nodeDisk, place, digest: first, dir, env: process.env });
  expect(existsSync(join(dir, first, 'code/lib/add.ts'))).toBe(true);
});

test('[BUN-14] taking a bundle is using it, and so is that somebody may need it', async () => {
  const { place, dir, first, second, unusedFor, collect } = await installed();
  unusedFor(first, 8);
  unusedFor(second, 8);
  await installBundle({ disk: nodeDisk, place, digest: first, dir, env: process.env });
  expect(await collect([second])).toEqual([]);
  expect(await collect()).toEqual([]);
});

test('[BUN-14] what somebody is installing is left alone', async () => {
  const { dir, first, unusedFor, collect } = await installed();
  unusedFor(first, 8);
  const lock = locksOf(nodeDisk).take(join(dir, 'locks', first));
  expect(await collect()).toEqual([]);
  lock?.[Symbol.dispose]();
  expect(await collect()).toEqual([first]);
});

test('[BUN-14] contents stay as long as nobody can tell what a bundle has', async () => {
  const { dir, first, second, objects, unusedFor, collect } = await installed();
  const all = objects();
  rmSync(join(dir, second, 'contents'));
  unusedFor(first, 8);
  expect(await collect()).toEqual([first]);
  expect(objects()).toEqual(all);
});
