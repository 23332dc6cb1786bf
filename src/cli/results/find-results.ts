import { resolve } from 'node:path';
import { definedOf, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { peekBranch } from '../../git/index.ts';
import type { ResultsStore } from '../../results/index.ts';
import type { CommandCall } from '../command.ts';
import type { PublishFlags } from './publish-options.ts';
import { BRANCH, isRemote } from './repo-name.ts';
import type { BodiesFlags, ResultsFlags } from './results-place.ts';

export type PublishCall = CommandCall<ResultsFlags & PublishFlags>;

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
export async function findResults(call: PublishCall): Promise<FoundResults | undefined> {
  const { terminal, flags } = call;
  const settings = await call.settings();
  const { repo, branch = BRANCH } = flags;
  const push = settings.text('results.push') === 'auto' ? 'auto' : 'manual';
  const bodies = definedOf({
    bodies: settings.text('results.bodies') as BodiesFlags['bodies'],
    bodyLimit: settings.get('results.bodyLimit').value as BodiesFlags['bodyLimit'],
  });
  const open = async () => {
    // What publishes is loaded only where something is published.
    const { resultsOf } = await import('./results-place.ts');
    return resultsOf({ ...flags, ...bodies }, terminal);
  };
  const found: FoundResults = { branch, push, open };
  // The settings name it, which is asking for it; the clone is made and begun when it is opened.
  if (repo !== undefined && isRemote(repo)) return found;
  const dir = resolve(terminal.cwd, repo ?? '.');
  const peeked = await peekBranch(nodeDisk, dir, branch);
  if (peeked === 'there' || peeked === 'fetched') return found;
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
