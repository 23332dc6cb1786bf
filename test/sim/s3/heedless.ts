/** A server that takes no notice of a condition: it puts the object there as if it had been told none. */
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { Fault, Seen } from './fault-proxy.ts';

export const heedless =
  (header: 'if-none-match' | 'if-match') =>
  (seen: Seen): Fault | undefined => {
    if (seen.method !== 'PUT' || seen.headers[header] === undefined) return undefined;
    const answer = async (body: Buffer) => {
      const client = new S3Client({ region: 'us-east-1', forcePathStyle: true });
      const [, Bucket = '', Key = ''] = /^\/([^/]+)\/([^?]+)/.exec(seen.path) ?? [];
      const { ETag = '' } = await client.send(
        new PutObjectCommand({ Bucket, Key: decodeURIComponent(Key), Body: body }),
      );
      client.destroy();
      return { status: 200, headers: { etag: ETag } };
    };
    return { kind: 'other', answer };
  };
