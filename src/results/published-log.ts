import type { Bucket } from '../bucket/index.ts';
import {
  type CatFile,
  type Git,
  listBlobs,
  missingObject,
  noPrefetch,
  type ObjectId,
  type Prefetch,
  readBlob,
} from '../git/index.ts';
import { type Members, openMembers, type Scratch, type StoredLogReader } from '../log/index.ts';
import { type BodyPointer, readBody, readPointer } from './bodies.ts';
import { memberOfPath, POINTERS_FOLDER } from './layout.ts';
import type { Revision } from './results-tree.ts';

export interface PublishedPorts {
  readonly git: Git;
  readonly objects: CatFile;
  readonly prefetch: Prefetch;
  /** Where bodies are, when they are not in git. */
  readonly bucket?: Bucket | undefined;
  readonly scratch?: Scratch;
}

/** A published run as a log: whatever reads logs reads it. Nothing is written anywhere, and no file is made of it. */
export async function openPublished(revision: Revision, ports: PublishedPorts): Promise<StoredLogReader> {
  const documents = await listDocuments(revision, ports);
  const entries = new Map(documents.map((one) => [one.name, entryOf(one)] as const));
  const byName = new Map(documents.map((one) => [one.name, one]));
  const ahead = readAhead(documents, ports);
  const members: Members = {
    source: { name: revision.run, sizeBytes: revision.row.log.sizeBytes, close: async () => undefined },
    entries,
    readMember: async function* ({ name }) {
      await ahead(name);
      yield* readDocument(byName.get(name), revision, ports);
    },
  };
  return openMembers(members, ports.scratch);
}

const AHEAD_DOCUMENTS = 256;

/** Where documents have to be fetched, those that lie beside the one that is read come with it. */
function readAhead(
  documents: readonly PublishedDocument[],
  { prefetch }: PublishedPorts,
): (name: string) => Promise<void> {
  if (prefetch === noPrefetch) return async () => undefined;
  const places = new Map(documents.map(({ name }, at) => [name, Math.floor(at / AHEAD_DOCUMENTS)]));
  const fetched = new Map<number, Promise<void>>();
  return async (name) => {
    const part = places.get(name);
    if (part === undefined) return;
    const from = part * AHEAD_DOCUMENTS;
    const ids = documents.slice(from, from + AHEAD_DOCUMENTS).map(({ id }) => id);
    const fetching = fetched.get(part) ?? prefetch(ids);
    fetched.set(part, fetching);
    await fetching;
  };
}

/** A document of a published run: the object that holds it, or the pointer that stands for it. */
export interface PublishedDocument {
  readonly name: string;
  readonly id: ObjectId;
  readonly isPointer: boolean;
  /** Where it is not known without fetching something: the largest that it can be. */
  readonly sizeBytes: number;
}

export async function listDocuments(
  revision: Revision,
  ports: PublishedPorts,
): Promise<readonly PublishedDocument[]> {
  const blobs = await listFiles(revision, ports);
  return blobs.flatMap(({ path, id, sizeBytes }) => {
    const [, folder, rest] = /^(log|pointers)\/(.*)$/s.exec(path) ?? [];
    if (rest === undefined) return [];
    const isPointer = folder === POINTERS_FOLDER;
    const size = isPointer ? revision.row.log.sizeBytes : sizeBytes;
    return [{ name: memberOfPath(rest), id, isPointer, sizeBytes: size }];
  });
}

/** The pointer that stands for a document; undefined when the document itself is in git. */
export async function pointerOf(
  { id, isPointer, name }: PublishedDocument,
  { objects }: PublishedPorts,
): Promise<BodyPointer | undefined> {
  if (!isPointer) return undefined;
  const blob = await objects.object(id);
  if (!blob) throw missingObject(id);
  return readPointer(blob.bytes, name);
}

export async function* readDocument(
  document: PublishedDocument | undefined,
  { run }: Revision,
  ports: PublishedPorts,
): AsyncGenerator<Uint8Array> {
  if (!document) return;
  const pointer = await pointerOf(document, ports);
  if (pointer) yield* readBody(pointer, { bucket: ports.bucket, run, name: document.name });
  else yield* readBlob(document.id, document.sizeBytes, ports);
}

/** Git keeps no such checksum: the beginning of the object's id takes its place, and tells contents apart as one does. */
function entryOf({ name, id, sizeBytes }: PublishedDocument) {
  const crc = Number.parseInt(id.slice(0, 8), 16);
  return { name, sizeBytes, compressedBytes: sizeBytes, method: 0, crc, headerOffset: 0 };
}

/** What every reader reads first comes at once, where it has to be fetched. */
async function listFiles(revision: Revision, { git, prefetch }: PublishedPorts) {
  const isWhole = prefetch === noPrefetch;
  const blobs = await listBlobs(git, revision.tree, { isWhole, sizeBytesMax: revision.row.log.sizeBytes });
  if (!isWhole) await prefetch(blobs.filter(({ path }) => !SAMPLES.test(path)).map(({ id }) => id));
  return blobs;
}

/** What may be large or many. */
const SAMPLES = /^log\/(samples|holdfast\/answers)\//;
