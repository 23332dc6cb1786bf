import type { Json } from '../base/index.ts';
import type { JsonPath, JsonPiece, Verdict } from './json-splitter.ts';
import type { MemberJson } from './member-json.ts';
import { CONDENSED_PLACES, type ReferencePlaces } from './reference-places.ts';

/** The five parts of a sample, as it is stored: still condensed, still with the names of its time. */
export type SamplePart = 'fields' | 'events' | 'attachments' | 'messages' | 'calls';

export const ALL_PARTS: ReadonlySet<SamplePart> = new Set([
  'fields',
  'events',
  'attachments',
  'messages',
  'calls',
]);

export interface SamplePiece {
  readonly part: SamplePart;
  /** The name of a field, the hash of an attachment, or the position of an event, message or call. */
  readonly key: string;
  readonly bytes: Uint8Array;
  /** The value goes on in the next piece, which has the same part and key. Only where slices were asked for. */
  readonly isMore?: true;
}

export interface ScanOptions {
  /** Longer values come in slices of about so many bytes. */
  readonly sliceBytes?: number;
}

/** Where a sample's pieces come from: one member, a `.json` file, or the many members of a chunked sample. */
export interface SampleDocument {
  readonly sizeBytes: number;
  readonly places: ReferencePlaces;
  /** Gives the pieces of the wanted parts in the order of the document; the others are not even held. */
  scan(wanted: ReadonlySet<SamplePart>): AsyncIterable<SamplePiece>;
  /** The same, those of each chunk together: of a small sample all at once. */
  scanTogether(wanted: ReadonlySet<SamplePart>, options?: ScanOptions): AsyncIterable<readonly SamplePiece[]>;
  parse(bytes: Uint8Array): Json;
}

/** Where the parts lie in a document. Version 3 and the first logs put them elsewhere [LOG-22]. */
const PLACES: ReadonlyArray<{ readonly path: JsonPath; readonly part: SamplePart }> = [
  { path: ['events'], part: 'events' },
  { path: ['attachments'], part: 'attachments' },
  { path: ['events_data', 'messages'], part: 'messages' },
  { path: ['events_data', 'calls'], part: 'calls' },
  { path: ['message_pool'], part: 'messages' },
  { path: ['call_pool'], part: 'calls' },
  { path: ['transcript', 'events'], part: 'events' },
  { path: ['transcript', 'content'], part: 'attachments' },
];

/** A sample that is one JSON document. */
export function monolithDocument(json: MemberJson): SampleDocument {
  const scanTogether: SampleDocument['scanTogether'] = (wanted, options) =>
    scanMonolith(json, wanted, options);
  return {
    sizeBytes: json.sizeBytes,
    places: CONDENSED_PLACES,
    parse: (bytes) => json.parse(bytes),
    scan: (wanted) => oneByOne(scanTogether(wanted)),
    scanTogether,
  };
}

/** Pieces that came together, one by one. */
export async function* oneByOne(batches: AsyncIterable<readonly SamplePiece[]>): AsyncGenerator<SamplePiece> {
  for await (const pieces of batches) yield* pieces;
}

async function* scanMonolith(
  json: MemberJson,
  wanted: ReadonlySet<SamplePart>,
  { sliceBytes }: ScanOptions = {},
): AsyncGenerator<readonly SamplePiece[]> {
  const isOnlyEvents = wanted.size === 1 && wanted.has('events');
  const options = {
    decide: (path: JsonPath) => decide(path, wanted),
    sliceBytes,
    reportEnd: (path: JsonPath) => isOnlyEvents && path.length === 1 && path[0] === 'events',
  };
  for await (const pieces of json.splitTogether(options)) {
    const found: SamplePiece[] = [];
    for (const piece of pieces) {
      // The rest, often the larger part, has been read and checked by whoever asked for the attachments.
      if (piece.isEnd) return yield found;
      if (piece.path.length === 0) throw json.wrongShape('is not a JSON object');
      const one = samplePiece(piece);
      if (one) found.push(one);
    }
    yield found;
  }
}

function samplePiece({ path, bytes, isMore }: JsonPiece): SamplePiece | undefined {
  const place = placeOf(path);
  const isOne = place ? path.length === place.path.length + 1 : path.length === 1;
  if (!isOne) return undefined;
  const piece = { part: place?.part ?? 'fields', key: String(path.at(-1)), bytes };
  return isMore ? { ...piece, isMore } : piece;
}

function decide(path: JsonPath, wanted: ReadonlySet<SamplePart>): Verdict {
  if (path.length === 0) return 'enter';
  // Nearly every value of a long sample is an event: these are not worth comparing with each of the places.
  if (path.length === 2 && path[0] === 'events') return wanted.has('events') ? 'take' : 'skip';
  const place = placeOf(path);
  if (place) {
    if (!wanted.has(place.part)) return 'skip';
    return path.length === place.path.length ? 'enter' : 'take';
  }
  const leadsToPlaces = PLACES.some(
    ({ path: place }) => place.length > path.length && startsWith(place, path),
  );
  if (leadsToPlaces) return 'enter';
  return path.length === 1 && wanted.has('fields') ? 'take' : 'skip';
}

function placeOf(path: JsonPath) {
  if (path[0] === 'events') return PLACES[0];
  return PLACES.find((place) => startsWith(path, place.path));
}

function startsWith(path: JsonPath, start: JsonPath): boolean {
  return start.every((step, index) => path[index] === step);
}
