/** A process of its own that counts up in an object of a directory: `bucket-counter.ts <dir> <turns>`. */
import { directoryBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';

const [, , dir = '', turns = '1'] = process.argv;
const bucket = directoryBucket(nodeDisk, dir);

for (let turn = 0; turn < Number(turns); turn++) {
  let isCounted = false;
  while (!isCounted) {
    const found = await bucket.readTagged('counter');
    if (!found) throw new Error('the counter is gone');
    const next = Number(new TextDecoder().decode(found.bytes)) + 1;
    const bytes = new TextEncoder().encode(String(next));
    isCounted = (await bucket.replaceIf('counter', { bytes, etag: found.etag })) !== undefined;
  }
  process.stdout.write('counted\n');
}
