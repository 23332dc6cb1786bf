import { inOrder } from '../base/index.ts';
import { type BodyPointer, bodyKey } from './bodies.ts';
import { listDocuments, type PublishedDocument, type PublishedPorts, pointerOf } from './published-log.ts';
import type { Revision } from './results-tree.ts';

/** Why a document of a published run cannot be read here, although nothing is damaged. */
export type WhyAbsent =
  /** Only the summary was published. */
  | 'left out'
  /** It is in a bucket, and none is named. */
  | 'away'
  /** It is not in the bucket that is named. */
  | 'gone';

/** The bucket answers slowly. */
const AT_A_TIME = 16;

/** The documents of a run that cannot be read here, by name. No body is read for it. */
export async function absentDocuments(
  revision: Revision,
  ports: PublishedPorts,
): Promise<ReadonlyMap<string, WhyAbsent>> {
  const absent = new Map<string, WhyAbsent>();
  if (revision.row.log.bodies === undefined) return absent;
  const pointed = (await listDocuments(revision, ports)).filter(({ isPointer }) => isPointer);
  await ports.prefetch(pointed.map(({ id }) => id));
  const work = async (document: PublishedDocument) => {
    const pointer = await pointerOf(document, ports);
    return { name: document.name, why: pointer && (await whyAbsent(pointer, ports)) };
  };
  for await (const { name, why } of inOrder(pointed, { atATime: AT_A_TIME, work }))
    if (why !== undefined) absent.set(name, why);
  return absent;
}

async function whyAbsent(
  { kept, sha256 }: BodyPointer,
  { bucket }: PublishedPorts,
): Promise<WhyAbsent | undefined> {
  if (kept === 'nowhere') return 'left out';
  if (!bucket) return 'away';
  return (await bucket.stat(bodyKey(sha256))) ? undefined : 'gone';
}
