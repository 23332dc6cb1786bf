import { createHash } from 'node:crypto';
import { ActionableError, type RunId } from '../base/index.ts';
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
  let [documents, leftOut] = [0, 0];
  const { revisions, damage: broken } = await tree.revisions(place);
  const path = place.folders[0]?.path ?? '';
  problems.push(...broken.map(({ message }) => ({ run, path, message })));
  for (const revision of revisions) {
    const counts = await verifyRevision(revision, ports, problems);
    documents += counts.documents;
    leftOut += counts.leftOut;
  }
  const { damage } = await readNotes(tree, ports.objects, run);
  problems.push(...damage.map((message) => ({ run, path: 'notes', message })));
  return { run, revisions: revisions.length, documents, leftOut, problems };
}

/** Every document is read, also when one before it is damaged: all damage is named at once. */
async function verifyRevision(
  revision: Revision,
  ports: PublishedPorts,
  problems: ResultProblem[],
): Promise<{ readonly documents: number; readonly leftOut: number }> {
  const { run, path, row } = revision;
  const found = (await orProblem(problems, { run, path }, () => listDocuments(revision, ports))) ?? [];
  await ports.prefetch(found.map(({ id }) => id));
  const whole = createHash('sha256');
  const before = problems.length;
  let leftOut = 0;
  for (const document of found.toSorted((a, b) => byCodeUnit(a.name, b.name))) {
    const about = { run, path, document: document.name };
    const one = await orProblem(problems, about, () => digestOfDocument(document, revision, ports));
    if (!one) continue;
    if (!one.isKept) leftOut++;
    whole.update(digestLine(document.name, one.sha256));
  }
  if (problems.length === before && whole.digest('hex') !== row.log.digest)
    problems.push({ run, path, message: `Its documents are not those that ${path}/run.json was made of.` });
  return { documents: found.length, leftOut };
}

async function digestOfDocument(
  document: PublishedDocument,
  revision: Revision,
  ports: PublishedPorts,
): Promise<{ readonly sha256: string; readonly isKept: boolean }> {
  const pointer = await pointerOf(document, ports);
  if (pointer?.kept === 'nowhere') return { sha256: pointer.sha256, isKept: false };
  const hash = createHash('sha256');
  for await (const chunk of readDocument(document, revision, ports)) hash.update(chunk);
  return { sha256: hash.digest('hex'), isKept: true };
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
