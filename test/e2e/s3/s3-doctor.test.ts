/** `holdfast doctor --bucket` refuses a server that does not do what it says. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openS3Bucket } from '../../../src/bucket/s3/s3-bucket.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { type Fault, type Seen, startFaultProxy } from '../../sim/s3/fault-proxy.ts';
import { heedless } from '../../sim/s3/heedless.ts';
import { BUCKET } from '../../sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { makeTempDir } from '../../sim/temp-dir.ts';
import { holdfast } from '../holdfast.ts';

const s3 = useS3();

interface Check {
  readonly name: string;
  readonly status: string;
}

async function doctor(fault: (seen: Seen) => Fault | undefined) {
  await using dir = await makeTempDir();
  await using proxy = await startFaultProxy(s3.server.endpoint);
  proxy.fault = fault;
  const url = `s3://${BUCKET}/${randomUUID()}`;
  const env = { ...s3.env, AWS_ENDPOINT_URL_S3: proxy.endpoint };
  const { code, stdout } = await holdfast(dir.path, ['doctor', '--bucket', url, '--json'], env);
  const left = await Array.fromAsync((await openS3Bucket(url, { disk: nodeDisk })).list(''));
  const checks = (JSON.parse(stdout) as { checks: Check[] }).checks.filter(({ name }) =>
    name.startsWith('bucket'),
  );
  const failed = checks.filter(({ status }) => status !== 'ok').map(({ name }) => name);
  return { code, failed, checks: checks.length, left, requests: proxy.seen.length, stdout };
}

describe.skipIf(obstacle !== undefined)(onServer('doctor'), () => {
  test('takes a server that keeps its conditions, and leaves nothing there', async () => {
    expect(await doctor(() => undefined)).toMatchObject({ code: 0, failed: [], checks: 6, left: [] });
  });

  test('refuses one that creates although there is something, and leaves nothing there', async () => {
    const found = await doctor(heedless('if-none-match'));
    expect(found).toMatchObject({ code: 1, failed: ['bucket: create'], left: [] });
    expect(found.stdout).toContain('8 of 8 writers of one key won');
  });

  test('refuses one that replaces whatever is there', async () => {
    const found = await doctor(heedless('if-match'));
    expect(found).toMatchObject({ code: 1, failed: ['bucket: replace'], left: [] });
  });

  test('says of credentials that have expired what they are, and does not ask for ever', async () => {
    const found = await doctor(() => ({ kind: 'status', status: 400, code: 'ExpiredToken' }));
    expect(found).toMatchObject({ code: 1, failed: ['bucket'] });
    expect(found.stdout).toContain('have expired');
    expect(found.requests).toBeLessThan(20);
  });
});
