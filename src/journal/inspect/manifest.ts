import { definedOf, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import { DEFAULT_LIMITS, MemberJson } from '../../log/index.ts';

/** How far each kind of row goes in a segment; 0: none of that kind. */
export interface SegmentCursor {
  readonly id: number;
  readonly event: number;
  readonly message: number;
  readonly call: number;
}

export interface ManifestSample {
  readonly summary: JsonObject;
  /** Before 0.3.241 only the numbers were written: their cursors are those of the whole segment. */
  readonly segments: readonly SegmentCursor[];
  readonly metadataHash: string | undefined;
}

/** What a `.buffer` folder says of itself. */
export interface Manifest {
  readonly samples: readonly ManifestSample[];
  readonly segments: readonly SegmentCursor[];
  /** False: its end is missing or damaged, and only what comes before was read. */
  readonly isWhole: boolean;
  /** Why it is not whole. */
  readonly because?: string;
}

/** Reads a manifest, written in place by Inspect and therefore sometimes torn: what is whole in it counts. */
export async function readManifest(place: string, bytes: Uint8Array): Promise<Manifest> {
  const member = new MemberJson({
    path: place,
    member: 'manifest.json',
    sizeBytes: bytes.length,
    limits: DEFAULT_LIMITS,
    open: async function* () {
      yield bytes;
    },
  });
  const samples: Json[] = [];
  const segments: Json[] = [];
  let because: string | undefined;
  try {
    for await (const { path, bytes: piece } of member.split({ decide: enterLists })) {
      if (path.length !== 2) continue;
      if (path[0] === 'samples') samples.push(member.parse(piece));
      if (path[0] === 'segments') segments.push(member.parse(piece));
    }
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code !== 'E_LOG_JSON' && code !== 'E_LOG_UTF8') throw error;
    because = (error as Error).message;
  }
  const all = segments.map(readCursor).filter((cursor) => cursor !== undefined);
  const known = new Map(all.map((cursor) => [cursor.id, cursor]));
  return {
    samples: samples.map((sample) => readSample(sample, known)).filter((sample) => sample !== undefined),
    segments: all,
    isWhole: because === undefined,
    ...definedOf({ because }),
  };
}

function readSample(value: Json, known: ReadonlyMap<number, SegmentCursor>): ManifestSample | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.summary)) return undefined;
  const { id, epoch } = value.summary;
  const isNamed = (typeof id === 'string' || typeof id === 'number') && typeof epoch === 'number';
  if (!isNamed) return undefined;
  const found = isJsonArray(value.segments) ? value.segments : [];
  const segments = found.map((segment) =>
    typeof segment === 'number' ? (known.get(segment) ?? emptyCursor(segment)) : readCursor(segment),
  );
  const { metadata_hash: hash } = value;
  return {
    summary: value.summary,
    segments: segments.filter((segment) => segment !== undefined).sort((a, b) => a.id - b.id),
    metadataHash: typeof hash === 'string' ? hash : undefined,
  };
}

function readCursor(value: Json): SegmentCursor | undefined {
  if (!isJsonObject(value) || typeof value.id !== 'number') return undefined;
  const last = (name: string) => {
    const found = value[`last_${name}_id`];
    return typeof found === 'number' ? found : 0;
  };
  return { id: value.id, event: last('event'), message: last('message_pool'), call: last('call_pool') };
}

function emptyCursor(id: number): SegmentCursor {
  return { id, event: 0, message: 0, call: 0 };
}

function enterLists(path: readonly (string | number)[]): 'enter' | 'take' | 'skip' {
  if (path.length === 0) return 'enter';
  if (path[0] !== 'samples' && path[0] !== 'segments') return 'skip';
  return path.length === 1 ? 'enter' : 'take';
}
