import { createHash } from 'node:crypto';
import { ActionableError, type RunId } from '../base/index.ts';
import { isAway, isGone } from './bodies.ts';
import { byCodeUnit, digestLine } from './documents.ts';
import { readNotes } from './notes.ts';
import {
  listDocuments,
  type PublishedDocument,
  type PublishedPorts,
  pointerOf,
  readDocument,
} from './published-log.ts';
import type { ResultsTree, Revision, RunPlace } from './results-tree.ts';
import { foldNotes } from './run-marks.ts';

export interface ResultProblem {
  readonly run: RunId;
  readonly path: string;
  /** The document, where one is at fault. */
  readonly document?: string;
  readonly message: string;
}

export interface VerifiedRun {
  readonly run: RunId;
  readonly revisions: number;
  readonly documents: number;
  /** Documents of which only the summary was published: there is nothing to check. */
  readonly leftOut: number;
  /** Documents that `gc` dropped, as a note says: there is nothing to check any more. */
  readonly dropped: number;
  /** Documents in a bucket that is not named: nobody looked at them. */
  readonly away: number;
  readonly problems: readonly ResultProblem[];
}

/** Checks everything that was published of a run against its digests: objects, pointers, bodies in the bucket, notes. */
export async function verifyRun(
  tree: ResultsTree,
  place: RunPlace,
  ports: PublishedPorts,
): Promise<VerifiedRun> {
  const { run } = place;
  const problems: ResultProblem[] = [];
  const counts = { documents: 0, leftOut: 0, dropped: 0, away: 0 };
  const { notes, damage } = await readNotes(tree, ports.objects, run);
  const isCollected = foldNotes(notes, { tags: [] }).collections.length > 0;
  const { revisions, damage: broken } = await tree.revisions(place);
  problems.push(...broken.map(({ path, error }) => ({ run, path, message: error.message })));
  for (const revision of revisions) {
    const found = await verifyRevision(revision, { ports, problems, isCollected });
    counts.documents += found.documents;
    counts.leftOut += found.leftOut;
    counts.dropped += found.dropped;
    counts.away += found.away;
  }
  problems.push(...damage.map((message) => ({ run, path: 'notes', message })));
  return { run, revisions: revisions.length, ...counts, problems };
}

/** Every document is read, also when one before it is damaged: all damage is named at once. */
export async function verifyRevision(
  revision: Revision,
  about: {
    readonly ports: PublishedPorts;
    readonly problems: ResultProblem[];
    /** `gc` dropped bodies of the run: one that is missing is no damage. */
    readonly isCollected: boolean;
  },
): Promise<Pick<VerifiedRun, 'documents' | 'leftOut' | 'dropped' | 'away'>> {
  const { ports, problems, isCollected } = about;
  const { run, path, row } = revision;
  const found = (await orProblem(problems, { run, path }, () => listDocuments(revision, ports))) ?? [];
  await ports.prefetch(found.map(({ id }) => id));
  const whole = createHash('sha256');
  const before = problems.length;
  const counts = { kept: 0, 'left out': 0, dropped: 0, away: 0 };
  for (const document of found.toSorted((a, b) => byCodeUnit(a.name, b.name))) {
    const place = { run, path, document: document.name };
    const one = await orProblem(problems, place, () =>
      digestOfDocument(document, { revision, ports, isCollected }),
    );
    if (!one) continue;
    counts[one.state]++;
    whole.update(digestLine(document.name, one.sha256));
  }
  if (problems.length === before && whole.digest('hex') !== row.log.digest)
    problems.push({ run, path, message: `Its documents are not those that ${path}/run.json was made of.` });
  const { 'left out': leftOut, dropped, away } = counts;
  return { documents: found.length, leftOut, dropped, away };
}

/** The digest of a document, or of what stands for it where it is not kept, was dropped or cannot be looked at here. */
export async function digestOfDocument(
  document: PublishedDocument,
  about: { readonly revision: Revision; readonly ports: PublishedPorts; readonly isCollected: boolean },
): Promise<{ readonly sha256: string; readonly state: 'kept' | 'left out' | 'dropped' | 'away' }> {
  const { revision, ports, isCollected } = about;
  const pointer = await pointerOf(document, ports);
  if (pointer?.kept === 'nowhere') return { sha256: pointer.sha256, state: 'left out' };
  const hash = createHash('sha256');
  try {
    for await (const chunk of readDocument(document, revision, ports)) hash.update(chunk);
  } catch (error) {
    // Unknown is not damaged.
    if (pointer && isAway(error)) return { sha256: pointer.sha256, state: 'away' };
    if (!(pointer && isCollected && isGone(error))) throw error;
    return { sha256: pointer.sha256, state: 'dropped' };
  }
  return { sha256: hash.digest('hex'), state: 'kept' };
}

async function orProblem<T>(
  problems: ResultProblem[],
  about: Omit<ResultProblem, 'message'>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    problems.push({ ...about, message: error.message });
    return undefined;
  }
}
