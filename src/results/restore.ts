import { createHash } from 'node:crypto';
import { ActionableError } from '../base/index.ts';
import type { ImportFile } from '../git/index.ts';
import type { LogReader } from '../log/index.ts';
import { bodyKey, pointerBytes, storeBody } from './bodies.ts';
import type { ResultsPorts } from './change-results.ts';
import { byCodeUnit, type Documents, digestLine } from './documents.ts';
import { LOG_FOLDER, memberPath, POINTERS_FOLDER } from './layout.ts';
import { listDocuments, type PublishedDocument, type PublishedPorts } from './published-log.ts';
import type { BrokenRevision, Revision } from './results-tree.ts';
import type { RunRow } from './run-row.ts';
import { digestOfDocument } from './verify-results.ts';

/** A document of a published revision that is not what the log has: lost, damaged, or of nobody. */
export interface Loss {
  readonly name: string;
  readonly isPointer: boolean;
  /** False: the log has no such document. */
  readonly isOfLog: boolean;
}

/** All of them. What was never kept, and what is in a bucket that nobody named, is not known to be lost. */
export async function lossesOf(
  revision: Revision,
  documents: Documents,
  ports: PublishedPorts,
): Promise<readonly Loss[]> {
  const published = await listDocuments(revision, ports);
  await ports.prefetch(published.map(({ id }) => id));
  const byName = new Map(published.map((one) => [one.name, one]));
  const losses: Loss[] = published
    .filter(({ name }) => !documents.digests.has(name))
    .map(({ name, isPointer }) => ({ name, isPointer, isOfLog: false }));
  for (const [name, sha256] of documents.digests) {
    const one = byName.get(name);
    if (!one || (await digestOf(one, revision, ports)) !== sha256)
      losses.push({ name, isPointer: one?.isPointer ?? false, isOfLog: true });
  }
  return losses;
}

/** Undefined when it cannot be read. */
async function digestOf(
  document: PublishedDocument,
  revision: Revision,
  ports: PublishedPorts,
): Promise<string | undefined> {
  try {
    // What gc dropped is wanted back, so it counts as lost.
    return (await digestOfDocument(document, { revision, ports, isCollected: false })).sha256;
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return undefined;
  }
}

/** The documents as the log has them, where and how they were kept. */
export async function* restoredFiles(
  log: LogReader,
  about: {
    readonly revision: Revision;
    readonly losses: readonly Loss[];
    readonly documents: Documents;
    readonly ports: Pick<ResultsPorts, 'disk' | 'bucket'>;
  },
): AsyncGenerator<ImportFile> {
  const { revision, losses, documents, ports } = about;
  const { bucket, disk } = ports;
  const sizes = new Map(log.members().map(({ name, sizeBytes }) => [name, sizeBytes]));
  for (const { name, isPointer, isOfLog } of losses) {
    const folder = `${revision.path}/${isPointer ? POINTERS_FOLDER : LOG_FOLDER}`;
    const path = `${folder}/${memberPath(name, revision.row.log)}`;
    const chunks = log.readMember(name);
    if (!isOfLog) yield { path, content: 'gone' };
    else if (chunks && !isPointer) yield { path, content: { sizeBytes: sizes.get(name) ?? 0, chunks } };
    else if (chunks && bucket) {
      // A body that is there all the same is not what it should be, and would be left as it is.
      await bucket.remove(bodyKey(documents.digests.get(name) ?? ''));
      yield { path, content: pointerBytes(await storeBody(chunks, { disk, bucket })) };
    }
  }
}

/** The broken revision that is this very log but for its row. */
export async function findBroken(
  broken: readonly BrokenRevision[],
  { row, documents }: { readonly row: RunRow; readonly documents: Documents },
  ports: PublishedPorts,
): Promise<BrokenRevision | undefined> {
  for (const one of broken) {
    if ((await digestOfFolder({ ...one, run: row.run as Revision['run'], row }, ports)) === documents.digest)
      return one;
  }
  return undefined;
}

async function digestOfFolder(revision: Revision, ports: PublishedPorts): Promise<string | undefined> {
  try {
    const whole = createHash('sha256');
    const found = await listDocuments(revision, ports);
    for (const document of found.toSorted((a, b) => byCodeUnit(a.name, b.name)))
      whole.update(digestLine(document.name, (await digestOf(document, revision, ports)) ?? ''));
    return whole.digest('hex');
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return undefined;
  }
}
