import { join } from 'node:path';
import { digestOf } from '../../base/index.ts';
import type { Terminal } from '../terminal.ts';
import { userDataDirs } from '../user-data-dirs.ts';
import { BRANCH } from './repo-name.ts';

/** Where a repository elsewhere is cloned: below the user's own data, never in a project. What is not pushed yet is only there and in the logs. */
export function cloneDirOf(url: string, branch: string = BRANCH, terminal: Terminal): string {
  const [dataDir = ''] = userDataDirs(terminal);
  const name = branch === BRANCH ? url : `${url}#${branch}`;
  return join(dataDir, 'holdfast/results', `${digestOf(name).slice(0, 24)}.git`);
}
