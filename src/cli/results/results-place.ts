import { resolve } from 'node:path';
import { Option } from 'commander';
import { systemClock, systemRandom, UsageError } from '../../base/index.ts';
import { type Bucket, isBucketUrl, openBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import {
  BODY_LIMIT_BYTES,
  type BodiesSetting,
  cloneResults,
  openResults,
  type ResultsStore,
} from '../../results/index.ts';
import type { CommonFlags } from '../command.ts';
import { parseSize } from '../parse-values.ts';
import type { Terminal } from '../terminal.ts';
import { cloneDirOf } from './clone-dir.ts';
import { isRemote } from './repo-name.ts';

export interface ResultsFlags extends CommonFlags {
  readonly repo?: string;
  readonly branch?: string;
  readonly remote?: string;
  readonly bucket?: string;
}

/** For those who publish. */
export interface BodiesFlags {
  readonly bodies?: 'git' | 'bucket' | 'summary';
  /** As a person writes it, or in bytes. */
  readonly bodyLimit?: string | number;
}

export function resultsOptions(): readonly Option[] {
  return [
    new Option(
      '--repo <path or URL>',
      'the git repository that keeps the results (default: the one of this folder)',
    ),
    new Option('--branch <name>', 'the branch of the results (default: holdfast/results)'),
    new Option(
      '--remote <name>',
      'the remote that results are shared with (default: the only one, or origin)',
    ),
    new Option('--bucket <url>', 'the bucket that holds bodies of results'),
  ];
}

export function bodiesOptions(): readonly Option[] {
  return [
    new Option(
      '--bodies <where>',
      'where documents of samples go (default: the large ones into the bucket if there is one, else git)',
    ).choices(['git', 'bucket', 'summary']),
    new Option('--body-limit <size>', 'documents above it go into the bucket (default: 1 MiB)').argParser(
      parseSize,
    ),
  ];
}

/** Whoever opens it closes it. A repository elsewhere is cloned where nobody sees it, unless it has been. */
export async function resultsOf(
  flags: ResultsFlags & BodiesFlags,
  terminal: Terminal,
): Promise<ResultsStore> {
  const { cwd, env } = terminal;
  const { repo = cwd, branch, remote } = flags;
  const bucket = await bucketOf(flags.bucket, cwd);
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env };
  const options = { ...ports, branch, remote, bucket, bodies: bodiesOf(flags, bucket) };
  if (isRemote(repo))
    return cloneResults({ ...options, repo: cloneDirOf(repo, branch, terminal), url: repo });
  const place = resolve(cwd, repo);
  if ((await nodeDisk.stat(place))?.kind !== 'directory') throw noDirectory(place);
  return openResults({ ...options, repo: place });
}

async function bucketOf(given: string | undefined, cwd: string): Promise<Bucket | undefined> {
  if (given === undefined) return undefined;
  return openBucket(isBucketUrl(given) ? given : resolve(cwd, given), { disk: nodeDisk });
}

function bodiesOf({ bodies, bodyLimit }: BodiesFlags, bucket: Bucket | undefined): BodiesSetting {
  const kept = bodies ?? (bucket ? 'bucket' : 'git');
  if (kept !== 'bucket') return { kept };
  if (!bucket)
    throw new UsageError({
      code: 'E_RESULTS_NO_BUCKET',
      message: 'Bodies of results are to go into a bucket, and none is named.',
      hint: 'Name it with --bucket, or as "bucket" in holdfast.config.',
    });
  return { kept, bucket, limitBytes: bodyLimit === undefined ? BODY_LIMIT_BYTES : parseSize(bodyLimit) };
}

function noDirectory(place: string): UsageError {
  return new UsageError({
    code: 'E_NO_REPOSITORY',
    message: `There is no repository ${place}: it is no directory.`,
    hint: 'Make one there with "git init", or name another with --repo.',
  });
}
