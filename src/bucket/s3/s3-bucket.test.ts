import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { bucketContract } from '../../../test/contract/bucket.ts';
import { type S3Server, startRgw, whyNoRgw } from '../../../test/sim/s3/rgw.ts';
import { makeTempDir } from '../../../test/sim/temp-dir.ts';
import { nodeDisk } from '../../disk/index.ts';
import { openS3Bucket } from './s3-bucket.ts';

const obstacle = await whyNoRgw();
let server: S3Server;

beforeAll(async () => {
  if (obstacle !== undefined) return;
  server = await startRgw();
  vi.stubEnv('AWS_ACCESS_KEY_ID', server.accessKey);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', server.secretKey);
  const client = new S3Client({ endpoint: server.endpoint, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: 'tests' }));
  client.destroy();
}, 120_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  if (obstacle === undefined) await server?.[Symbol.asyncDispose]();
});

const named = (what: string) => (obstacle === undefined ? what : `${what} (${obstacle})`);

describe.skipIf(obstacle !== undefined)(named('Ceph RGW'), () => {
  bucketContract('a bucket in S3', async () => {
    const dir = await makeTempDir();
    const url = `s3://tests/${randomUUID()}`;
    const bucket = await openS3Bucket(url, { disk: nodeDisk, endpoint: server.endpoint });
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
