import { UsageError } from '../../base/index.ts';

/** What an `s3://…` address says. Server, region and credentials come by the SDK's own chain, so that they are in no address, and in no log. */
export interface S3Address {
  readonly url: string;
  readonly bucket: string;
  /** What all keys begin with; '' or without a slash at either end. */
  readonly prefix: string;
}

/** `s3://bucket/prefix`. Nothing in it is encoded: the prefix of a key is written as the key is. */
export function parseS3Address(given: string): S3Address {
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/]*)(.*)$/is.exec(given) ?? [];
  if (bucket.includes('@'))
    throw wrongAddress(
      given.replace(/\/\/[^/]*@/, '//…@'),
      'it has a key or a secret in it, which would be seen in logs',
    );
  if (/[?#]/.test(bucket + rest)) throw wrongAddress(given, 'it has a "?" or a "#" in it');
  if (!/^[a-z0-9][a-z0-9._-]{1,62}$/i.test(bucket)) throw wrongAddress(given, 'it names no bucket');
  const prefix = rest.replace(/^\/+|\/+$/g, '');
  return { url: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`, bucket, prefix };
}

function wrongAddress(given: string, why: string): UsageError {
  return new UsageError({
    code: 'E_BUCKET_URL',
    message: `${given} is not the address of a bucket: ${why}.`,
    hint: 'Write s3://<bucket>[/<prefix>]. Server, region and credentials are those of AWS_ENDPOINT_URL_S3, AWS_REGION and AWS_PROFILE or AWS_ACCESS_KEY_ID.',
  });
}
