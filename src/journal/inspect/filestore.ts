import {
  digestOf,
  inOrder,
  isJsonObject,
  JsonSyntaxError,
  parseJson,
  sampleKeyText,
} from '../../base/index.ts';
import type { Bucket } from '../../bucket/index.ts';
import type { BufferProblem } from './buffer-problem.ts';
import type { BufferGap, BufferKey } from './buffer-reader.ts';
import { type Manifest, type ManifestSample, readManifest, type SegmentCursor } from './manifest.ts';

/** A `.buffer/<log>` folder: what it holds by name, and its manifest. Its segments are not read yet. */
export interface Filestore {
  readonly bucket: Bucket;
  /** Ends in a slash. */
  readonly prefix: string;
  readonly place: string;
  readonly manifest: Manifest | undefined;
  /** Numbers of the segments that are there, ascending. */
  readonly segments: readonly number[];
  readonly keys: readonly string[];
  /** When something was last written into it. */
  readonly modifiedMs: number;
  readonly problems: readonly BufferProblem[];
}

/** Looks at a filestore; undefined when there is neither a manifest nor a segment. */
export async function findFilestore(bucket: Bucket, prefix: string): Promise<Filestore | undefined> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(prefix)) keys.push(key);
  const segments = keys
    .map((key) => /^segment\.(\d+)\.zip$/.exec(key.slice(prefix.length))?.[1])
    .filter((found) => found !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
  const manifestKey = `${prefix}manifest.json`;
  if (segments.length === 0 && !keys.includes(manifestKey)) return undefined;
  const place = `${bucket.url.replace(/\/$/, '')}/${prefix.replace(/\/$/, '')}`;
  const bytes = await bucket.read(manifestKey);
  const manifest = bytes && (await readManifest(place, bytes));
  const problems = problemsOf(place, manifest, segments);
  return {
    bucket,
    prefix,
    place,
    manifest,
    segments,
    keys,
    problems,
    modifiedMs: await lastModified(bucket, keys),
  };
}

export function segmentKeyOf(filestore: Filestore, segment: number): string {
  return `${filestore.prefix}segment.${segment}.zip`;
}

/** For each sample of the manifest the segments that it names and that are not among `whole`. */
export function findGaps(
  manifest: Manifest | undefined,
  whole: ReadonlySet<number>,
): ReadonlyMap<string, readonly BufferGap[]> {
  const gaps = new Map<string, readonly BufferGap[]>();
  for (const sample of manifest?.samples ?? []) {
    const found = gapsOf(sample.segments, whole);
    const { id, epoch } = keyOf(sample);
    if (found.length > 0) gaps.set(sampleKeyText(id, epoch), found);
  }
  return gaps;
}

export function keyOf({ summary }: ManifestSample): BufferKey {
  return { id: String(summary.id), epoch: Number(summary.epoch) };
}

/** A sample's full metadata from its own file, when its bytes are those that the manifest promises. */
export async function readSidecar(
  filestore: Filestore,
  sample: ManifestSample,
): Promise<{ readonly text?: string; readonly problem?: BufferProblem }> {
  const { metadataHash } = sample;
  if (metadataHash === undefined || metadataHash === 'summary') return {};
  const key = keyOf(sample);
  const name = digestOf(`[\n  ${JSON.stringify(key.id)},\n  ${key.epoch}\n]`);
  const path = `${filestore.prefix}metadata.${name}.${metadataHash}.json`;
  const found = await filestore.bucket.read(path);
  const broken = (what: string): { readonly problem: BufferProblem } => ({
    problem: {
      code: 'E_BUFFER_SIDECAR',
      message: `The full metadata of sample ${key.id} (epoch ${key.epoch}) in ${filestore.place} ${what}.`,
      sample: key,
    },
  });
  if (!found) return broken('is missing');
  if (digestOf(found) !== metadataHash) return broken('does not match its digest');
  const text = Buffer.from(found).toString('utf8');
  return isJsonText(text) ? { text } : broken('is not a JSON object');
}

function isJsonText(text: string): boolean {
  try {
    return isJsonObject(parseJson(text));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

/** `after` says up to which row everything before the gap is there. */
function gapsOf(segments: readonly SegmentCursor[], whole: ReadonlySet<number>): BufferGap[] {
  const gaps: BufferGap[] = [];
  const after = { event: 0, message: 0, call: 0 };
  for (const segment of segments) {
    if (!whole.has(segment.id)) gaps.push({ segment: segment.id, after: { ...after } });
    for (const kind of ['event', 'message', 'call'] as const)
      after[kind] = Math.max(after[kind], segment[kind]);
  }
  return gaps;
}

function problemsOf(
  place: string,
  manifest: Manifest | undefined,
  segments: readonly number[],
): BufferProblem[] {
  const problems: BufferProblem[] = [];
  if (!manifest?.isWhole) {
    const why = manifest ? `is torn or no JSON (${manifest.because})` : 'is missing';
    const message = `manifest.json in ${place} ${why}; what it said is taken from the segments.`;
    problems.push({ code: 'E_BUFFER_MANIFEST', message });
  }
  const listed = new Set([
    ...(manifest?.segments ?? []).map(({ id }) => id),
    ...(manifest?.samples ?? []).flatMap((sample) => sample.segments.map(({ id }) => id)),
  ]);
  // Numbers are given out one by one, so a hole in them is a segment that is gone.
  for (let id = 1; id < (segments.at(-1) ?? 0); id++) listed.add(id);
  for (const id of [...listed].sort((a, b) => a - b)) {
    if (segments.includes(id)) continue;
    problems.push({ code: 'E_BUFFER_SEGMENT', message: `segment.${id}.zip in ${place} is missing.` });
  }
  return problems;
}

/** Each is a request, which mostly waits. */
const STATS_AT_A_TIME = 16;

async function lastModified(bucket: Bucket, keys: readonly string[]): Promise<number> {
  let last = 0;
  const stats = inOrder(keys, { atATime: STATS_AT_A_TIME, work: (key) => bucket.stat(key) });
  for await (const stat of stats) last = Math.max(last, stat?.modifiedMs ?? 0);
  return last;
}
