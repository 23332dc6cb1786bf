/** npm itself is asked: packages lie beside each other, so that nobody needs a registry. */

import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { bundleOf, makeProject, PACKAGE_FILES } from '../../test/sim/bundle-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { refuseUninstallable } from './check-packages.ts';
import { uploadBundle } from './upload-bundle.ts';

const temp = useTempDir();
const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: process.env };
/** As if somebody had added the package and forgotten to install. */
const OUTDATED = JSON.stringify({
  ...{ name: 'project', version: '1.0.0', lockfileVersion: 3, requires: true },
  packages: { '': { name: 'project', version: '1.0.0' } },
});
const project = (more: Readonly<Record<string, string>> = {}) =>
  makeProject(join(temp.path, 'project'), { ...PACKAGE_FILES, ...more });

test('a lock file that does not fit its package is refused before anything is sent, with what npm says', async () => {
  const bundle = await bundleOf(project({ 'package-lock.json': OUTDATED }));
  const place = { bucket: memoryBucket(), prefix: '' };
  await expect(refuseUninstallable(bundle, { place, ports })).rejects.toMatchObject({
    code: 'E_BUNDLE_LOCK',
    message: expect.stringMatching(/package-lock\.json: npm ci says ".*Missing: sums@/),
  });
  // Whoever has submitted it before has seen how it went.
  await uploadBundle(place, bundle, { disk: nodeDisk });
  await refuseUninstallable(bundle, { place, ports });
});

test('one that fits is not, nor is a project without packages', async () => {
  const place = { bucket: memoryBucket(), prefix: '' };
  await refuseUninstallable(await bundleOf(project()), { place, ports });
  await refuseUninstallable(await bundleOf(makeProject(join(temp.path, 'plain'))), { place, ports });
});
