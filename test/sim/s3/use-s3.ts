import process from 'node:process';
import { afterAll, beforeAll } from 'vitest';
import { rgw } from './rgw.ts';
import { type S3Environment, type S3Server, startWithBucket } from './s3-server.ts';
import { versitygw } from './versitygw.ts';

/** Ceph's gateway, unless `npm run test:s3` asks for another. */
const program = process.env.HOLDFAST_TEST_S3 === versitygw.name ? versitygw : rgw;

/** Its keys are paths: some of what others may put there is something else. */
export const isVersitygw = program === versitygw;

/** Why there is no server for the tests of S3; undefined when there is one. */
export const obstacle = await program.whyNot();

export const onServer = (what: string) =>
  obstacle === undefined ? `${what}, on ${program.name}` : `${what} (${obstacle})`;

export interface UsedS3 {
  readonly server: S3Server;
  readonly env: S3Environment;
}

/** One server for the tests of a file, with a bucket called `tests`; its credentials are in the environment meanwhile. */
export function useS3(): UsedS3 {
  let used: Awaited<ReturnType<typeof startWithBucket>> | undefined;
  if (obstacle === undefined) {
    beforeAll(async () => {
      used = await startWithBucket(program);
    }, 120_000);
    afterAll(() => used?.[Symbol.asyncDispose]());
  }
  const started = () => {
    if (used === undefined) throw new Error('the server has not been started');
    return used;
  };
  return {
    get server() {
      return started().server;
    },
    get env() {
      return started().env;
    },
  };
}
