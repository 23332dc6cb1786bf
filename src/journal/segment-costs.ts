import { DamageError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { decodeSegmentHeader, HEADER_BYTES, parseChainName, segmentPrefix } from './segment.ts';

export interface SegmentsOfRun {
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly run: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What the answers in the bucket cost, in US dollars, by the writers who bought them. Of each chain only the header of its last
 * segment is read, which counts all before it.
 */
export async function costsInSegments(of: SegmentsOfRun): Promise<ReadonlyMap<string, number>> {
  const { bucket, prefix, run, signal } = of;
  const root = segmentPrefix(prefix, run);
  const chains = new Map<string, string[]>();
  for await (const { key } of bucket.list(root, signal ? { signal } : {})) {
    const chain = key.slice(root.length).split('/')[0] ?? '';
    chains.set(chain, [...(chains.get(chain) ?? []).slice(1 - KEPT_KEYS), key]);
  }
  const costs = new Map<string, number>();
  for (const [chain, keys] of chains) {
    const { writer } = parseChainName(chain);
    const usd = await costOfChain(keys, of);
    // A later chain holds again what the earlier ones hold.
    costs.set(writer, Math.max(usd, costs.get(writer) ?? 0));
  }
  return costs;
}

/** So many of the last segments of a chain are tried until one can be read. */
const KEPT_KEYS = 8;

async function costOfChain(keys: readonly string[], { bucket, signal }: SegmentsOfRun): Promise<number> {
  for (const key of keys.toReversed()) {
    const start = await bucket.readRange(key, { start: 0, length: HEADER_BYTES }, signal);
    try {
      if (start) return decodeSegmentHeader(start, key).usd ?? 0;
    } catch (error) {
      if (!(error instanceof DamageError)) throw error; // The one before it says what was paid until then.
    }
  }
  return 0;
}
