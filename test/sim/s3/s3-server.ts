/** A real server that speaks S3, on this machine's own address. */
import process from 'node:process';
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** One program that is such a server. */
export interface S3Program {
  readonly name: string;
  /** Why it cannot be started here; undefined when it can. */
  whyNot(): Promise<string | undefined>;
  start(): Promise<S3Server>;
}

/** What a process has to have in its environment to reach the server. */
export type S3Environment = Readonly<Record<string, string>>;

export const BUCKET = 'tests';

/** Starts a server and makes a bucket called `tests` in it. Its credentials are in the environment until it ends. */
export async function startWithBucket(
  program: S3Program,
): Promise<{ readonly server: S3Server; readonly env: S3Environment } & AsyncDisposable> {
  const server = await program.start();
  const env = {
    AWS_ENDPOINT_URL_S3: server.endpoint,
    AWS_ACCESS_KEY_ID: server.accessKey,
    AWS_SECRET_ACCESS_KEY: server.secretKey,
  };
  Object.assign(process.env, env);
  const client = new S3Client({ region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  // What a server makes when it is first asked for takes seconds, in which no test has to wait.
  await client.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'warm/up', Body: new Uint8Array(1) }));
  client.destroy();
  return {
    server,
    env,
    [Symbol.asyncDispose]: async () => {
      for (const name of Object.keys(env)) delete process.env[name];
      await server[Symbol.asyncDispose]();
    },
  };
}
