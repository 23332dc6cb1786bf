import { type Json, stringifyJson, toJson } from '../../base/index.ts';
import { type CatFile, type Git, listBlobs, readBlob } from '../../git/index.ts';
import {
  type LogReader,
  type Members,
  openMembers,
  type Scratch,
  sampleMemberName,
  summarize,
} from '../../log/index.ts';
import { type AgentvRun, headerOf } from './agentv-header.ts';
import { fieldsOf, type ReadText, wholeFields } from './agentv-sample.ts';

export interface AgentvPorts {
  readonly git: Git;
  readonly objects: CatFile;
  readonly scratch?: Scratch;
}

/**
 * A run of AgentV as a log: whatever reads logs reads it. Its documents are made when they are asked for, and nothing is written.
 */
export async function openAgentvRun(run: AgentvRun, ports: AgentvPorts): Promise<LogReader> {
  const blobs = new Map((await listBlobs(ports.git, run.place.tree)).map((blob) => [blob.path, blob]));
  const read: ReadText = async (path) => {
    const blob = blobs.get(path.replace(/^\.\//, ''));
    if (!blob) return undefined;
    const chunks = await Array.fromAsync(readBlob(blob.id, blob.sizeBytes, ports));
    return Buffer.concat(chunks).toString('utf8');
  };
  const documents = new Map<string, () => Promise<Json>>([
    ['header.json', async () => toJson(headerOf(run))],
    ['summaries.json', async () => toJson(run.samples.map((sample) => summarize(fieldsOf(sample))))],
  ]);
  for (const sample of run.samples)
    documents.set(sampleMemberName(sample.id, sample.epoch), async () =>
      toJson({ ...(await wholeFields(sample, read)), events: [], attachments: {} }),
    );
  const members: Members = {
    source: { name: run.place.name, sizeBytes: 0, close: async () => undefined },
    entries: new Map([...documents.keys()].map((name) => [name, entryOf(name)])),
    readMember: ({ name }) => bytesOf(documents.get(name)),
  };
  return openMembers(members, ports.scratch);
}

/** How large a document is, is known only when it is made. */
function entryOf(name: string) {
  return { name, sizeBytes: 0, compressedBytes: 0, method: 0, crc: 0, headerOffset: 0 };
}

async function* bytesOf(make: (() => Promise<Json>) | undefined): AsyncGenerator<Uint8Array> {
  if (make) yield Buffer.from(stringifyJson(await make()), 'utf8');
}
