import { z } from 'zod';
import { digestOf, stringifyJson, toJson, tryParseJson } from '../base/index.ts';
import type { EvidenceOf } from './evidence-keys.ts';
import { isJob, type JobId } from './shared-keys.ts';

const EVIDENCE_VERSION = 1;

const count = z.int().min(0);

const entry = z.object({
  /** Where it lay, from the folder of the attempt; `/` between its parts. */
  path: z.string().min(1),
  /** A text goes on where it stopped; a file takes the place of what it was before. */
  kind: z.enum(['text', 'file']),
  /** Which bytes of the original these are. Redacted ones may be fewer or more. */
  from: count,
  to: count,
  bytes: count,
  digest: z.string(),
});

const leftOut = z.object({
  path: z.string(),
  bytes: count,
  why: z.enum(['too large', 'too much', 'too many files', 'secret', 'unreadable']),
});

const head = z.object({
  format: z.literal('holdfast-evidence'),
  version: z.literal(EVIDENCE_VERSION),
  run: z.string(),
  job: z.custom<JobId>((value) => typeof value === 'string' && isJob(value), 'is no job'),
  n: z.int().min(1),
  writer: z.string(),
  part: z.int().min(1),
  at: z.string(),
  sample: z.object({ id: z.union([z.string(), z.number()]), epoch: z.number() }).optional(),
  entries: z.array(entry),
  leftOut: z.array(leftOut),
});

export type EvidenceEntry = z.infer<typeof entry>;
export type LeftOut = z.infer<typeof leftOut>;
type Head = z.infer<typeof head>;
type SampleOf = Head['sample'];

/** One piece of an original, as it is kept. */
export interface EvidencePiece extends Pick<EvidenceEntry, 'path' | 'kind' | 'from' | 'to'> {
  readonly bytes: Uint8Array;
}

/** What one look at the work of an attempt found that was new. */
export interface EvidencePart extends EvidenceOf {
  readonly run: string;
  readonly part: number;
  readonly at: string;
  readonly sample?: SampleOf;
  readonly pieces: readonly EvidencePiece[];
  readonly leftOut: readonly LeftOut[];
}

/** [EVI-2] One line of JSON that says what follows, then the bytes, one piece after the other. */
export function encodePart({ pieces, ...about }: EvidencePart): Uint8Array {
  const entries = pieces.map(({ bytes, ...piece }) => ({
    ...piece,
    bytes: bytes.length,
    digest: digestOf(bytes),
  }));
  const said = { format: 'holdfast-evidence', version: EVIDENCE_VERSION, ...about, entries };
  return Buffer.concat([
    Buffer.from(`${stringifyJson(toJson(said))}\n`),
    ...pieces.map(({ bytes }) => bytes),
  ]);
}

/** The part, or one sentence about why it cannot be used. Evidence that is damaged is told, and hinders nothing. */
export function decodePart(bytes: Uint8Array, key: string): EvidencePart | string {
  const end = bytes.indexOf(10);
  const said = head.safeParse(tryParseJson(bytes.subarray(0, Math.max(0, end))));
  if (!said.success) return `${key} is no evidence that this version can read.`;
  const { entries, format: _format, version: _version, sample, ...about } = said.data;
  let at = end + 1;
  const pieces: EvidencePiece[] = [];
  for (const { bytes: length, digest, ...piece } of entries) {
    const content = bytes.subarray(at, at + length);
    if (digestOf(content) !== digest) return `${key} is damaged: ${piece.path} does not have its digest.`;
    pieces.push({ ...piece, bytes: content });
    at += length;
  }
  return { ...about, ...(sample === undefined ? {} : { sample }), pieces };
}
