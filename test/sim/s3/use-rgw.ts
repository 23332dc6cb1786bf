import process from 'node:process';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { type S3Server, startRgw, whyNoRgw } from './rgw.ts';

/** Why there is no server for the tests of S3; undefined when there is one. */
export const obstacle = await whyNoRgw();

export const onServer = (what: string) => (obstacle === undefined ? what : `${what} (${obstacle})`);

/** What a process has to have in its environment to reach the server. */
export type S3Environment = Readonly<Record<string, string>>;

export interface UsedRgw {
  readonly server: S3Server;
  readonly env: S3Environment;
}

/** One server for the tests of a file, with a bucket called `tests`; its credentials are in the environment meanwhile. */
export function useRgw(): UsedRgw {
  const used: { server?: S3Server; env: S3Environment } = { env: {} };
  if (obstacle === undefined) {
    beforeAll(async () => {
      used.server = await startRgw();
      const { endpoint, accessKey, secretKey } = used.server;
      used.env = {
        AWS_ENDPOINT_URL_S3: endpoint,
        AWS_ACCESS_KEY_ID: accessKey,
        AWS_SECRET_ACCESS_KEY: secretKey,
      };
      Object.assign(process.env, used.env);
      const client = new S3Client({ region: 'us-east-1', forcePathStyle: true });
      await client.send(new CreateBucketCommand({ Bucket: 'tests' }));
      client.destroy();
    }, 120_000);
    afterAll(async () => {
      for (const name of Object.keys(used.env)) delete process.env[name];
      await used.server?.[Symbol.asyncDispose]();
    });
  }
  return {
    get server() {
      if (used.server === undefined) throw new Error('the server has not been started');
      return used.server;
    },
    get env() {
      return used.env;
    },
  };
}
