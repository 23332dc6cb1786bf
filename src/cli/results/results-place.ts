import { resolve } from 'node:path';
import { Option } from 'commander';
import { systemClock, systemRandom } from '../../base/index.ts';
import { openBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { openResults, type ResultsStore } from '../../results/index.ts';
import type { CommonFlags } from '../command.ts';
import type { Terminal } from '../terminal.ts';

export interface ResultsFlags extends CommonFlags {
  readonly repo?: string;
  readonly branch?: string;
  readonly remote?: string;
  readonly bucket?: string;
}

export function resultsOptions(): readonly Option[] {
  return [
    new Option(
      '--repo <path>',
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

/** Whoever opens it closes it. */
export async function resultsOf(flags: ResultsFlags, { cwd, env }: Terminal): Promise<ResultsStore> {
  const bucket = flags.bucket === undefined ? undefined : await openBucket(flags.bucket, { disk: nodeDisk });
  return openResults({
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    env,
    repo: flags.repo === undefined ? cwd : resolve(cwd, flags.repo),
    branch: flags.branch,
    remote: flags.remote,
    bucket,
  });
}
