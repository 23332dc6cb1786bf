import { importCommit, moveRef } from '../git/index.ts';
import { type ResultsPorts, tooBusy } from './change-results.ts';
import { FORMAT_FILE, FORMAT_TEXT } from './layout.ts';
import { ResultsTree } from './results-tree.ts';

/** All beginnings are one commit, so that clones that begin apart belong together [RES-1]. */
const GENESIS = {
  message: 'Begin the results\n',
  author: { name: 'Holdfast', email: 'holdfast@localhost' },
  seconds: 0,
} as const;

const TRIES_MAX = 100;

/** Makes the branch of results. False when there are results already: here, or in what was fetched. */
export async function beginResults(ports: ResultsPorts): Promise<boolean> {
  const { git, ref, clock, random } = ports;
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    if (await ResultsTree.read(ports, [ref])) return false;
    for (const { error } of ports.unread) throw error;
    const fetched = await ResultsTree.read(ports, ports.refs);
    if (fetched) {
      if (await moveRef(git, { ref, from: undefined, to: fetched.commit })) return false;
    } else {
      const files = [{ path: FORMAT_FILE, content: Buffer.from(FORMAT_TEXT, 'utf8') }];
      if (await importCommit(git, { ...GENESIS, ref, from: undefined, files })) return true;
    }
    // Somebody else begins it at this very moment, with the same commit.
    await clock.sleep(random.next() * 50);
  }
  throw tooBusy(git.dir);
}
