import { systemClock, systemRandom } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type CodeRevision, codeRevisionAt } from '../../git/index.ts';
import type { Terminal } from '../terminal.ts';

/** Where CI says which branch it builds: it checks out a commit, and no branch. */
const BRANCH_VARIABLES = [
  'GITHUB_HEAD_REF',
  'GITHUB_REF_NAME',
  'CI_COMMIT_BRANCH',
  'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME',
  'BUILDKITE_BRANCH',
  'CIRCLE_BRANCH',
  'BRANCH_NAME',
];

/** Which code a run is of: the commit of the folder that it is started in. Undefined where there is none. `code`: what it has loaded. */
export async function codeOfRun(
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
  code: readonly string[],
): Promise<CodeRevision | undefined> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env };
  const revision = await codeRevisionAt(cwd, ports, code);
  if (!revision || revision.branch !== undefined) return revision;
  const branch = BRANCH_VARIABLES.map((name) => env[name]).find(
    (value) => value !== undefined && value !== '',
  );
  return branch === undefined ? revision : { ...revision, branch };
}
