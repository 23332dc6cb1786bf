/** A process of its own that sends or installs a bundle: `bundle-child.ts send <project> <bucket>`, `install <digest> <bucket> <dir>`. */

import { directoryBucket } from '../../src/bucket/index.ts';
import { installBundle, uploadBundle } from '../../src/bundle/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { bundleOf } from '../sim/bundle-fixture.ts';

const [, , deed, what = '', bucketDir = '', dir = ''] = process.argv;
const place = { bucket: directoryBucket(nodeDisk, bucketDir), prefix: '' };
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

if (deed === 'send') {
  const bundle = await bundleOf(what);
  // Whoever starts several wants them to begin together.
  say({ digest: bundle.digest });
  say(await uploadBundle(place, bundle, { disk: nodeDisk }));
} else {
  const { PATH, HOME } = process.env;
  say({ ready: true });
  const onLine = (line: string) => say({ line });
  say(await installBundle({ disk: nodeDisk, place, digest: what, dir, env: { PATH, HOME }, onLine }));
}
