import { Option } from 'commander';
import type { CommonFlags } from '../command.ts';

export interface BucketFlags extends CommonFlags {
  readonly bucket?: string;
}

export interface SharedFlags extends BucketFlags {
  readonly queue?: string;
}

export function bucketOption(): Option {
  return new Option(
    '--bucket <bucket>',
    'the bucket that shared runs live in (s3://…, file://…, or a folder)',
  );
}

/** Passwords of a queue are for the environment: the words of a command line are seen by everyone on its machine. */
export function queueOption(): Option {
  return new Option('--queue <url>', 'the Redis that hands out samples: redis://host[:port]');
}
