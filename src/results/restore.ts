import { ActionableError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { ImportFile } from '../git/index.ts';
import type { LogReader } from '../log/index.ts';
import { bodyKey, pointerBytes, pointerTo, storeBody } from './bodies.ts';
import type { ResultsPorts } from './change-results.ts';
import { LOG_FOLDER, memberPath, POINTERS_FOLDER } from './layout.ts';
import { listDocuments, type PublishedDocument, type PublishedPorts, readDocument } from './published-log.ts';
import type { Revision } from './results-tree.ts';

/** The documents of a published revision that cannot be read any more: objects that are missing, bodies that are gone. */
export async function lostDocuments(
  revision: Revision,
  ports: ResultsPorts,
): Promise<readonly PublishedDocument[]> {
  const reading: PublishedPorts = ports;
  const documents = await listDocuments(revision, reading);
  await ports.prefetch(documents.map(({ id }) => id));
  const lost: PublishedDocument[] = [];
  for (const document of documents) {
    if (!(await isReadable(document, revision, reading))) lost.push(document);
  }
  return lost;
}

async function isReadable(
  document: PublishedDocument,
  revision: Revision,
  ports: PublishedPorts,
): Promise<boolean> {
  try {
    for await (const _ of readDocument(document, revision, ports));
    return true;
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    // What was never kept is not lost, and what is kept in a bucket that is not named is not known to be.
    return error.code === 'E_RESULT_BODY_LEFT_OUT' || error.code === 'E_RESULT_BODY_AWAY';
  }
}

/** The same documents as they were, from the log that they came from: the tree of the results stays what it is. */
export async function* restoredFiles(
  log: LogReader,
  about: {
    readonly revision: Revision;
    readonly lost: readonly PublishedDocument[];
    readonly ports: Pick<ResultsPorts, 'disk' | 'bucket'>;
  },
): AsyncGenerator<ImportFile> {
  const { revision, lost, ports } = about;
  const sizes = new Map(log.members().map(({ name, sizeBytes }) => [name, sizeBytes]));
  for (const { name, isPointer } of lost) {
    const chunks = () => log.readMember(name);
    const file = memberPath(name, revision.row.log);
    const folder = `${revision.path}/${isPointer ? POINTERS_FOLDER : LOG_FOLDER}`;
    const bytes = chunks();
    if (!bytes) continue;
    const path = `${folder}/${file}`;
    if (!isPointer) yield { path, content: { sizeBytes: sizes.get(name) ?? 0, chunks: bytes } };
    else if (ports.bucket) {
      await dropDamaged(bytes, ports.bucket);
      const again = chunks();
      if (again) {
        const pointer = await storeBody(again, { disk: ports.disk, bucket: ports.bucket });
        yield { path, content: pointerBytes(pointer) };
      }
    }
  }
}

/** It was found unreadable: a body that is there all the same is not what it should be, and would be left as it is. */
async function dropDamaged(bytes: AsyncIterable<Uint8Array>, bucket: Bucket): Promise<void> {
  await bucket.remove(bodyKey((await pointerTo(bytes)).sha256));
}
