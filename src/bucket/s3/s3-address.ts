import { UsageError } from '../../base/index.ts';

/** What an `s3://…` address says. Keys and secrets are never in it: they come by the SDK's own chain. */
export interface S3Address {
  /** As it may be shown: without what was asked of the server. */
  readonly url: string;
  readonly bucket: string;
  /** What all keys begin with; '' or without a slash at either end. */
  readonly prefix: string;
  /** Another server than Amazon's. */
  readonly endpoint?: string;
  readonly region?: string;
  readonly isPathStyle?: boolean;
}

const PARAMETERS = ['endpoint', 'region', 'path-style'];

/** `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=eu-1&path-style=true` */
export function parseS3Address(given: string): S3Address {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/?#]*)([^?#]*)/i.exec(given) ?? [];
  if (!parsed || parsed.hash !== '') throw wrongAddress(given, 'it is no address');
  if (parsed.username !== '' || bucket.includes('@'))
    throw wrongAddress(
      given.replace(/\/\/[^/]*@/, '//…@'),
      'it has a key or a secret in it, which would be seen in logs',
    );
  if (!/^[a-z0-9][a-z0-9._-]{1,62}$/i.test(bucket)) throw wrongAddress(given, 'it names no bucket');
  const unknown = [...parsed.searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) throw wrongAddress(given, `nobody knows what "${unknown}" means`);
  const prefix = decoded(given, rest).replace(/^\/+|\/+$/g, '');
  const endpoint = parsed.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !/^https?:\/\//.test(endpoint))
    throw wrongAddress(given, 'its endpoint does not begin with http:// or https://');
  const region = parsed.searchParams.get('region') ?? undefined;
  const pathStyle = parsed.searchParams.get('path-style');
  return {
    url: `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`,
    bucket,
    prefix,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(pathStyle !== null && { isPathStyle: pathStyle !== 'false' }),
  };
}

function decoded(given: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign.
    throw wrongAddress(given, 'it has a "%" that means nothing');
  }
}

function wrongAddress(given: string, why: string): UsageError {
  return new UsageError({
    code: 'E_BUCKET_URL',
    message: `${given} is not the address of a bucket: ${why}.`,
    hint: 'Write s3://<bucket>[/<prefix>][?endpoint=<http address>&region=<name>]; credentials come from the environment or ~/.aws.',
  });
}
