import { expect, test } from 'vitest';
import { parseS3Address } from './s3-address.ts';

test.each([
  ['s3://logs', 'logs', ''],
  ['s3://logs/', 'logs', ''],
  ['S3://my.bucket-1/a/b/', 'my.bucket-1', 'a/b'],
  ['s3://logs/a b%20ä', 'logs', 'a b%20ä'],
])('%s names a bucket and what its keys begin with', (given, bucket, prefix) => {
  expect(parseS3Address(given)).toMatchObject({ bucket, prefix });
});

test.each(['s3://', 's3:///x', 's3://a b/x', 's3://x', 's3://logs?endpoint=http://x', 's3://logs/a#b'])(
  'E_BUCKET_URL: %s is refused',
  (given) => {
    expect(() => parseS3Address(given)).toThrow(expect.objectContaining({ code: 'E_BUCKET_URL' }));
  },
);

test('a secret in an address is refused, and not said again', () => {
  expect(() => parseS3Address('s3://AKIA:verysecret@logs/x')).toThrow(
    expect.objectContaining({ code: 'E_BUCKET_URL', message: expect.not.stringContaining('verysecret') }),
  );
});
