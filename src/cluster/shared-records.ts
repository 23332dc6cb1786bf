import { z } from 'zod';
import { DamageError, type ErrorCode, parseJson, stringifyJson, toJson } from '../base/index.ts';
import type { RunRecord } from '../journal/index.ts';
import { parseRanges } from './ranges.ts';
import { isJob, type JobId } from './shared-keys.ts';

export const SHARED_VERSION = 1;

const job = z.custom<JobId>((value) => typeof value === 'string' && isJob(value), 'is no job');
const count = z.int().min(1);
const ranges = z.string().refine((text) => parseRanges(text) !== undefined, 'is no list of ranges');
const stamped = { version: z.literal(SHARED_VERSION), run: z.string() };

const begun = z.object({
  format: z.literal('holdfast-lease'),
  ...stamped,
  job,
  n: count,
  round: count,
  /** The process that has it, which gives signs of life. */
  worker: z.string(),
  /** Whose journal holds the attempts. */
  writer: z.string(),
  /** For people; never compared. */
  at: z.string(),
});

const ended = z.object({
  format: z.literal('holdfast-lease-end'),
  ...stamped,
  job,
  n: count,
  round: count,
  status: z.enum(['completed', 'errored', 'returned', 'lost', 'aside']),
  /** Who says so: the worker that had it, or the one that found it lost. */
  by: z.string(),
  at: z.string(),
  /** The attempt that is the result [SHR-5]; of a build, the generation that it made. */
  origin: z.string().optional(),
  reason: z.string().optional(),
  usd: z.number().optional(),
});

const round = z.object({
  format: z.literal('holdfast-round'),
  ...stamped,
  n: count,
  by: z.string(),
  at: z.string(),
});

const cancelled = z.object({
  format: z.literal('holdfast-cancelled'),
  ...stamped,
  round: count,
  by: z.string(),
  at: z.string(),
});

const beat = z.object({
  format: z.literal('holdfast-beat'),
  version: z.literal(SHARED_VERSION),
  worker: z.string(),
  /** Counts up: no two signs of one worker are equal. */
  n: count,
  at: z.string(),
  /** Where it runs, as far as it says so. */
  host: z.string().optional(),
  slots: z.int().min(0),
  busy: z.array(z.object({ run: z.string(), job, n: count, since: z.string() })),
  isEnded: z.boolean(),
});

const submission = z.object({
  format: z.literal('holdfast-submission'),
  ...stamped,
  at: z.string(),
  by: z.string(),
  /** The run record of all its writers, as journals have it. */
  record: z.custom<RunRecord>((value) => typeof value === 'object' && value !== null, 'is no run record'),
  /** How many samples the plan has: jobs `s0` to `s<samples - 1>`. */
  samples: z.int().min(0),
  /** Positions that earlier logs lend: no jobs. */
  lent: ranges,
  builds: z.array(z.object({ job, unit: z.string(), recipe: z.string(), samples: ranges })),
  lostMax: count,
});

const SCHEMAS = { submission, begun, ended, round, cancelled, beat } as const;
type Kind = keyof typeof SCHEMAS;

export type Submission = z.infer<typeof submission>;
export type LeaseBegun = z.infer<typeof begun>;
export type LeaseEnded = z.infer<typeof ended>;
export type Round = z.infer<typeof round>;
export type Cancelled = z.infer<typeof cancelled>;
export type Beat = z.infer<typeof beat>;
type RecordOf<K extends Kind> = z.infer<(typeof SCHEMAS)[K]>;

export function encodeShared<K extends Kind>(_kind: K, record: RecordOf<K>): Uint8Array {
  return Buffer.from(`${stringifyJson(toJson(record))}\n`);
}

/** Throws when the bytes are not what their key promises: unreadable is not absent. */
export function decodeShared<K extends Kind>(kind: K, bytes: Uint8Array, key: string): RecordOf<K> {
  let value: unknown;
  try {
    value = parseJson(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw damaged(key, 'it is no JSON', error);
  }
  const version = versionOf(value);
  if (version !== undefined && version > SHARED_VERSION) throw tooNew(key, version);
  const parsed = SCHEMAS[kind].safeParse(value);
  if (!parsed.success) throw damaged(key, z.prettifyError(parsed.error).split('\n')[0] ?? '', parsed.error);
  return parsed.data as RecordOf<K>;
}

function versionOf(value: unknown): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const version: unknown = Reflect.get(value, 'version');
  return typeof version === 'number' ? version : undefined;
}

function tooNew(key: string, version: number): DamageError {
  return damage('E_SHARED_VERSION', {
    message: `${key} was written in version ${version} of shared runs; this program reads up to ${SHARED_VERSION}.`,
    hint: 'Update Holdfast here: workers of a shared run have the version that submitted it.',
  });
}

function damaged(key: string, why: string, cause: unknown): DamageError {
  return damage('E_SHARED_DAMAGED', {
    message: `${key} in the bucket cannot be used: ${why}.`,
    hint: 'It was left as it is. Restore it from a copy or an earlier version of the object, if the bucket keeps them.',
    cause,
  });
}

function damage(code: ErrorCode, about: { message: string; hint: string; cause?: unknown }): DamageError {
  return new DamageError({ code, ...about });
}
