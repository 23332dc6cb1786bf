import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { digestOf, systemClock, systemRandom, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { cloneResults, openResults, RESULTS_BRANCH, type ResultsStore } from '../../results/index.ts';
import type { CommonFlags } from '../command.ts';
import type { Terminal } from '../terminal.ts';
import { userDataDirs } from '../user-data-dirs.ts';
import { isRemote, REMOTE } from './repo-name.ts';

export interface ResultsFlags extends CommonFlags {
  readonly repo?: string;
  readonly branch?: string;
}

export function resultsOptions(): readonly Option[] {
  return [
    new Option(
      '--repo <path or URL>',
      'the git repository that keeps the results (default: the one of this folder)',
    ),
    new Option('--branch <name>', 'the branch of the results (default: holdfast/results)'),
  ];
}

export function remoteOption(): Option {
  return new Option('--remote <name>', 'the remote that results are shared through (default: origin)');
}

/** Whoever opens it closes it. A repository elsewhere is cloned where nobody sees it, unless it has been. */
export async function resultsOf(
  flags: ResultsFlags & { readonly remote?: string },
  terminal: Terminal,
): Promise<ResultsStore> {
  const { cwd, env } = terminal;
  const { repo = cwd, branch } = flags;
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env };
  if (!isRemote(repo)) {
    const place = resolve(cwd, repo);
    if ((await nodeDisk.stat(place))?.kind !== 'directory') throw noDirectory(place);
    return openResults({ ...ports, repo: place, branch });
  }
  const dir = cloneDirOf(repo, branch, terminal);
  return cloneResults({ ...ports, repo: dir, branch, url: repo, remote: flags.remote ?? REMOTE });
}

/** Below the user's own data, never in a project: what is not pushed yet is only there and in the logs. */
export function cloneDirOf(url: string, branch: string = RESULTS_BRANCH, terminal: Terminal): string {
  const [dataDir = ''] = userDataDirs(terminal);
  const name = branch === RESULTS_BRANCH ? url : `${url}#${branch}`;
  return join(dataDir, 'holdfast/results', `${digestOf(name).slice(0, 24)}.git`);
}

function noDirectory(place: string): UsageError {
  return new UsageError({
    code: 'E_NO_REPOSITORY',
    message: `There is no repository ${place}: it is no directory.`,
    hint: 'Make one there with "git init", or name another with --repo.',
  });
}
