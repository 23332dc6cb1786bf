import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'vitest';
import { bucketContract } from '../../../test/contract/bucket.ts';
import { obstacle, onServer, useS3 } from '../../../test/sim/s3/use-s3.ts';
import { makeTempDir } from '../../../test/sim/temp-dir.ts';
import { nodeDisk } from '../../disk/index.ts';
import { openS3Bucket } from './s3-bucket.ts';

useS3();

describe.skipIf(obstacle !== undefined)(onServer('a bucket of a real server'), () => {
  bucketContract('a bucket in S3', async () => {
    const dir = await makeTempDir();
    const url = `s3://tests/${randomUUID()}`;
    const bucket = await openS3Bucket(url, { disk: nodeDisk });
    let count = 0;
    return {
      bucket,
      writeLocal: async (bytes) => {
        const path = join(dir.path, `local-${count++}`);
        writeFileSync(path, bytes);
        return path;
      },
      readLocal: async (path) => {
        try {
          return new Uint8Array(readFileSync(path));
        } catch {
          // There is none, which is what is asked.
          return undefined;
        }
      },
      [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
    };
  });
});
