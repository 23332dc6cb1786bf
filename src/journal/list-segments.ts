import type { Bucket } from '../bucket/index.ts';
import { recordPrefix } from './record-object.ts';
import { parseChainName, segmentPrefix } from './segment.ts';

/** Where the segments of one run lie. */
export interface SegmentsFrom {
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly run: string;
}

/** The chains of one writer by name, each with the keys of its segments as the bucket names them. */
export type ListedChains = ReadonlyMap<string, readonly string[]>;

/**
 * What all writers of a run have shipped, by their ids, with two questions to the bucket however many they are. One whose record is there while
 * its segments are gone is one of them, with no chain [SEG-11]: unreadable is not absent.
 */
export async function listSegments({
  bucket,
  prefix,
  run,
}: SegmentsFrom): Promise<ReadonlyMap<string, ListedChains>> {
  const root = segmentPrefix(prefix, run);
  const found = new Map<string, Map<string, string[]>>();
  for await (const { key } of bucket.list(root)) {
    const chain = key.slice(root.length).split('/')[0] ?? '';
    const { writer } = parseChainName(chain);
    const chains = found.get(writer) ?? new Map<string, string[]>();
    found.set(writer, chains);
    const keys = chains.get(chain);
    if (keys) keys.push(key);
    else chains.set(chain, [key]);
  }
  const records = recordPrefix(prefix, run);
  if (found.size > 0)
    for await (const { key } of bucket.list(records)) {
      const writer = key.slice(records.length);
      if (!found.has(writer)) found.set(writer, new Map());
    }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The same for one writer, without a look at those of others; undefined when it is none of those that shipped anything. */
export async function listSegmentsOf(writer: string, from: SegmentsFrom): Promise<ListedChains | undefined> {
  const { bucket, prefix, run } = from;
  const chains = new Map<string, readonly string[]>();
  const start = `${segmentPrefix(prefix, run)}${writer}`;
  for await (const { kind, key } of bucket.listFolder(segmentPrefix(prefix, run), { startAfter: start })) {
    if (!key.startsWith(start)) break;
    const chain = key.slice(segmentPrefix(prefix, run).length, -1);
    if (kind === 'folder' && parseChainName(chain).writer === writer)
      chains.set(chain, await keysBelow(bucket, key));
  }
  if (chains.size > 0) return chains;
  const isRecordThere = (await bucket.stat(`${recordPrefix(prefix, run)}${writer}`)) !== undefined;
  return isRecordThere && (await hasSegments(from)) ? chains : undefined;
}

/**
 * The writers alone. Asks for folders and not for what is in them: a chain may hold thousands of segments. Those of whom only the record is left
 * are among them, as above.
 */
export async function listWriters(bucket: Bucket, prefix: string, run: string): Promise<readonly string[]> {
  const root = segmentPrefix(prefix, run);
  const writers = new Set<string>();
  for await (const { kind, key } of bucket.listFolder(root))
    if (kind === 'folder') writers.add(parseChainName(key.slice(root.length, -1)).writer);
  const records = recordPrefix(prefix, run);
  if (writers.size > 0)
    for await (const { key } of bucket.list(records)) writers.add(key.slice(records.length));
  return [...writers].sort();
}

/** The runs that have segments in a bucket. */
export async function listSegmentedRuns(bucket: Bucket, prefix: string): Promise<readonly string[]> {
  const runs: string[] = [];
  for await (const { kind, key } of bucket.listFolder(prefix)) {
    const run = key.slice(prefix.length, -1);
    if (kind === 'folder' && (await hasSegments({ bucket, prefix, run }))) runs.push(run);
  }
  return runs;
}

/** How many segments those chains have. */
export function segmentCount(chains: ListedChains): number {
  let count = 0;
  for (const keys of chains.values()) count += keys.length;
  return count;
}

async function hasSegments({ bucket, prefix, run }: SegmentsFrom): Promise<boolean> {
  for await (const _ of bucket.list(segmentPrefix(prefix, run))) return true;
  return false;
}

async function keysBelow(bucket: Bucket, folder: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(folder)) keys.push(key);
  return keys;
}
