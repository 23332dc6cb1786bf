import { type Json, stringifyJson } from '../base/index.ts';
import type { MemberJson } from './member-json.ts';
import { positionsOf } from './pool-refs.ts';
import { ALL_PLACES } from './reference-places.ts';
import {
  oneByOne,
  type SampleDocument,
  type SamplePart,
  type SamplePiece,
  type ScanOptions,
} from './sample-document.ts';

const CHUNKED_PARTS = ['events', 'attachments', 'messages', 'calls'] as const;

/** What a chunked sample is read from: its own members, named below `samples/{id}_epoch_{epoch}/`. */
export interface ChunkedMembers {
  /** The names directly below a folder of the sample, such as `0.json` and `1000.json` below `events`. */
  list(folder: string): readonly string[];
  member(name: string): MemberJson | undefined;
}

/** A sample that is spread over many members [LOG-23]. Attachments are named by their index here. */
export function chunkedDocument(members: ChunkedMembers, sample: MemberJson): SampleDocument {
  async function* scanTogether(
    wanted: ReadonlySet<SamplePart>,
    options: ScanOptions = {},
  ): AsyncGenerator<readonly SamplePiece[]> {
    if (wanted.has('fields')) yield await readFields(members, sample);
    for (const part of CHUNKED_PARTS) {
      if (!wanted.has(part)) continue;
      for (const chunk of chunksOf(members, part)) yield* scanChunk(chunk, part, options);
    }
  }
  return {
    places: ALL_PLACES,
    sizeBytes: sample.sizeBytes,
    parse: (bytes) => sample.parse(bytes),
    scan: (wanted) => oneByOne(scanTogether(wanted)),
    scanTogether,
  };
}

async function readFields(members: ChunkedMembers, sample: MemberJson): Promise<readonly SamplePiece[]> {
  const { message_refs, ...fields } = await sample.readObject();
  const metadata = (await members.member('metadata.json')?.readObject()) ?? {};
  const messages = await readMessages(members, message_refs);
  return Object.entries({ ...fields, metadata, messages }).flatMap(([key, value]) =>
    value === undefined ? [] : [{ part: 'fields', key, bytes: Buffer.from(stringifyJson(value)) }],
  );
}

/** The final conversation is kept as positions in the pool of messages. */
async function readMessages(members: ChunkedMembers, refs: Json | undefined): Promise<Json[]> {
  const wanted = new Set(positionsOf(refs));
  const found = new Map<number, Json>();
  if (wanted.size === 0) return [];
  for (const chunk of chunksOf(members, 'messages')) {
    let position = chunk.start;
    for await (const message of chunk.member.readItems()) {
      if (wanted.has(position)) found.set(position, message);
      position++;
    }
  }
  return positionsOf(refs).flatMap((position) => found.get(position) ?? []);
}

async function* scanChunk(
  { member, start }: Chunk,
  part: SamplePart,
  { sliceBytes }: ScanOptions,
): AsyncGenerator<readonly SamplePiece[]> {
  const decide = (path: readonly unknown[]) => (path.length === 0 ? 'enter' : 'take');
  for await (const pieces of member.splitTogether({ decide, sliceBytes })) {
    yield pieces.map(({ path, bytes, isMore }) => {
      const [index] = path;
      if (typeof index !== 'number') throw member.wrongShape('is not a JSON array');
      const piece = { part, key: String(start + index), bytes };
      return isMore ? { ...piece, isMore } : piece;
    });
  }
}

interface Chunk {
  readonly start: number;
  readonly member: MemberJson;
}

/** A chunk is named by the index of its first item; nothing else says how a sample was cut. */
function chunksOf(members: ChunkedMembers, part: SamplePart): Chunk[] {
  return members
    .list(part)
    .flatMap((name) => {
      const start = /^(\d+)\.json$/.exec(name)?.[1];
      const member = start === undefined ? undefined : members.member(`${part}/${name}`);
      return member ? [{ start: Number(start), member }] : [];
    })
    .sort((a, b) => a.start - b.start);
}
