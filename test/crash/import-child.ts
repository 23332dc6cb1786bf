/** Makes a journal of the segments in a bucket: `import-child.ts <bucket> <run dir> <run> <writer>`. */
import { directoryBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { importWriter } from '../../src/journal/index.ts';

const [, , dir = '', runDir = '', run = '', writer = ''] = process.argv;
await nodeDisk.makeDir(runDir);
const bucket = directoryBucket(nodeDisk, dir);
await importWriter({ disk: nodeDisk, bucket, prefix: '', run, writer, runDir });
