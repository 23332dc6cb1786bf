import { resolve } from 'node:path';
import { definedOf, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { peekBranch } from '../../git/index.ts';
import type { ResultsStore } from '../../results/index.ts';
import type { CommandCall, CommonFlags } from '../command.ts';
import type { PublishFlags } from './publish-options.ts';
import { isRemote } from './repo-name.ts';
import type { BodiesFlags, ResultsFlags } from './results-place.ts';

const BRANCH = 'holdfast/results';

/** Results that have been begun, and how they are shared. */
export interface FoundResults {
  readonly branch: string;
  readonly push: 'auto' | 'manual';
  open(): Promise<ResultsStore>;
}

/**
 * The results of the project; undefined where none have been begun and nobody asked for any. Usually a few looks at the disk: no
 * process is started to find out that there is nothing to do.
 */
export async function findResults(
  call: CommandCall<CommonFlags & PublishFlags>,
): Promise<FoundResults | undefined> {
  const { terminal, flags } = call;
  const settings = await call.settings();
  const repo = settings.text('results.repo');
  const branch = settings.text('results.branch') ?? BRANCH;
  const push = settings.text('results.push') === 'auto' ? 'auto' : 'manual';
  const place: ResultsFlags & BodiesFlags = definedOf({
    branch,
    repo,
    remote: settings.text('results.remote'),
    bucket: settings.text('bucket'),
    bodies: settings.text('results.bodies') as BodiesFlags['bodies'],
    bodyLimit: settings.get('results.bodyLimit').value as BodiesFlags['bodyLimit'],
  });
  const open = async () => {
    // What publishes is loaded only where something is published.
    const { resultsOf } = await import('./results-place.ts');
    return resultsOf(place, terminal);
  };
  const found: FoundResults = { branch, push, open };
  // The settings name it, which is asking for it; the clone is made and begun when it is opened.
  if (repo !== undefined && isRemote(repo)) return found;
  const dir = resolve(terminal.cwd, repo ?? '.');
  const peeked = await peekBranch(nodeDisk, dir, branch);
  if (peeked === 'there') return found;
  if (peeked === 'unknown' && (await isBegun(found))) return found;
  if (repo === undefined && flags.publish !== true) return undefined;
  throw new UsageError({
    code: 'E_RESULTS_NOT_BEGUN',
    message: `${dir} keeps no results yet${branch === BRANCH ? '' : ` in the branch ${branch}`}.`,
    hint: 'Begin with "holdfast results init".',
  });
}

async function isBegun(found: FoundResults): Promise<boolean> {
  await using results = await found.open();
  return results.isThere();
}
