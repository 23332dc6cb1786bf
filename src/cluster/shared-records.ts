import { z } from 'zod';
import {
  DamageError,
  type Digest,
  type ErrorCode,
  isSumRight,
  type JsonObject,
  parseJson,
  stringifyJson,
  summedLine,
  toJson,
} from '../base/index.ts';
import type { RunRecord } from '../journal/index.ts';
import { DAMAGED_HINT } from './damage.ts';
import { parseRanges } from './ranges.ts';
import { isJob, type JobId } from './shared-keys.ts';

export const SHARED_VERSION = 1;

const job = z.custom<JobId>((value) => typeof value === 'string' && isJob(value), 'is no job');
const count = z.int().min(1);
const ranges = z.string().refine((text) => parseRanges(text) !== undefined, 'is no list of ranges');
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'is no object',
);
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

/** One generation of an artifact, and no other. */
const pin = z.object({
  kind: z.string(),
  key: z.string(),
  recipe: z.custom<Digest>((value) => typeof value === 'string', 'is no recipe'),
  generation: z.string(),
  digest: z.string(),
});

/** What became of the evidence of a lease [EVI-7]. */
const evidence = z.object({
  parts: z.int().min(0),
  bytes: z.int().min(0),
  /** Of texts that were too long. */
  cutBytes: z.int().min(0).optional(),
  /** Files that are not kept; parts say which, and why. */
  leftOut: z.int().min(0).optional(),
  /** What the bucket did not take in time. */
  unstoredBytes: z.int().min(0).optional(),
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
  /** The attempt that is the result [SHR-5]. */
  origin: z.string().optional(),
  /** Of a build: the generation that samples use [SHR-12]. */
  pin: pin.optional(),
  reason: z.string().optional(),
  usd: z.number().optional(),
  evidence: evidence.optional(),
  /** Scorers that failed on it: its other scores stand. */
  scorersFailed: z.array(z.string()).optional(),
});

const round = z.object({
  format: z.literal('holdfast-round'),
  ...stamped,
  n: count,
  by: z.string(),
  at: z.string(),
  /** What the run may cost from this round on, in all its rounds; else as before. */
  budgetUsd: z.number().optional(),
  /** Objects of the run that could not be read when it began, by their keys below `shared/`: it goes past them [SHR-24]. */
  goesPast: z.array(z.string()).optional(),
});

const cancelled = z.object({
  format: z.literal('holdfast-cancelled'),
  ...stamped,
  round: count,
  by: z.string(),
  at: z.string(),
  reason: z.string().optional(),
  /** What is under way may end [SHR-18] [SHR-20]. */
  letsFinish: z.boolean().optional(),
  /** What of the run itself cancelled it: `budget`, `errors`, `calls`, `mistake`; a person otherwise. */
  because: z.string().optional(),
  /** Of a mistake [SHR-25]: the code of the error whose sentence is the reason, and what to do about it. */
  code: z.string().optional(),
  hint: z.string().optional(),
});

const fetched = z.object({
  format: z.literal('holdfast-fetched'),
  ...stamped,
  round: count,
  by: z.string(),
  at: z.string(),
  /** False when an artifact of the run did not come home. */
  isMerged: z.boolean(),
});

const removing = z.object({
  format: z.literal('holdfast-removing'),
  ...stamped,
  /** In which all of it was complete, home and merged. */
  round: count,
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
  /** Runs that it cannot work on, why, and in which round that was: it is another program, or lacks something. */
  refuses: z.array(z.object({ run: z.string(), reason: z.string(), round: count.optional() })).optional(),
  isEnded: z.boolean(),
});

/** Beside the runs: what tells this place from others. */
const place = z.object({
  format: z.literal('holdfast-place'),
  version: z.literal(SHARED_VERSION),
  id: z.string().regex(/^[\w-]{1,64}$/),
});

/** What a worker needs to know to run a sample as the machine that submitted it would have. No secret is ever in it. */
const work = z.object({
  /** The code: everything below its root. */
  bundle: z.string(),
  /** The folder below the root in which the command was given; empty for the root itself. */
  dir: z.string(),
  /** The eval file, from that folder. */
  file: z.string(),
  eval: z.string(),
  model: z.string().optional(),
  /** What the command line changed in the eval. */
  changes: jsonObject,
  prices: jsonObject.optional(),
  baseUrl: z.string().optional(),
  budgetUsd: z.number().optional(),
  /** By models, over all workers. */
  limits: z
    .record(z.string(), z.object({ concurrency: count.optional(), perMinute: count.optional() }))
    .optional(),
  isUnpricedAllowed: z.boolean(),
  reuse: z.enum(['same', 'any', 'none']),
  isOutputKept: z.boolean(),
  /** Each job has a process of its own [EVI-9]. */
  isIsolated: z.boolean().optional(),
  /** Names of the variables whose values the models need; the values are the worker's own. */
  keys: z.array(z.string()),
  /** Variables that said where models are, when it was submitted, with digests of their values: what a worker that differs looks at. */
  reached: z.record(z.string(), z.string()).optional(),
});

const submission = z.object({
  format: z.literal('holdfast-submission'),
  ...stamped,
  at: z.string(),
  by: z.string(),
  /** The run record of all its writers, as journals have it. */
  record: z.custom<RunRecord>((value) => typeof value === 'object' && value !== null, 'is no run record'),
  work,
  /** How many samples the plan has: jobs `s0` to `s<samples - 1>`. */
  samples: z.int().min(0),
  /** Positions that earlier logs lend: no jobs. */
  lent: ranges,
  builds: z.array(
    z.object({
      job,
      unit: z.string(),
      recipe: z.string(),
      /** Positions of those that read it. */
      samples: ranges,
      /** Builds of what it is made of: they come first. */
      needs: z.array(job),
    }),
  ),
  lostMax: count,
  /** As in the eval: how many samples of a round may fail before it is cancelled [SHR-20]; without it any number. */
  failOnError: z.union([z.boolean(), z.number()]).optional(),
  /** The runs of one submit that have one budget: each is named below it in the bucket [SHR-23]. */
  purse: z.string().optional(),
  /** What the eval asks of its metrics: whoever waits says whether it was met. */
  threshold: z.record(z.string(), z.number()).optional(),
});

const SCHEMAS = { submission, begun, ended, round, cancelled, fetched, removing, beat, place } as const;
type Kind = keyof typeof SCHEMAS;

export type Submission = z.infer<typeof submission>;
export type SubmittedWork = z.infer<typeof work>;
export type LeaseBegun = z.infer<typeof begun>;
export type LeaseEnded = z.infer<typeof ended>;
export type Round = z.infer<typeof round>;
export type Cancelled = z.infer<typeof cancelled>;
export type Beat = z.infer<typeof beat>;
type RecordOf<K extends Kind> = z.infer<(typeof SCHEMAS)[K]>;

export function encodeShared<K extends Kind>(_kind: K, record: RecordOf<K>): Uint8Array {
  return Buffer.from(summedLine(stringifyJson(toJson(record))));
}

/** Throws when the bytes are not what their key promises: unreadable is not absent. */
export function decodeShared<K extends Kind>(kind: K, bytes: Uint8Array, key: string): RecordOf<K> {
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    value = parseJson(text);
  } catch (error) {
    throw damaged(key, 'it is no JSON', error);
  }
  if (!isSumRight(text)) throw damaged(key, 'its checksum is wrong', undefined);
  const version = versionOf(value);
  if (version !== undefined && version > SHARED_VERSION) throw tooNew(key, version);
  const parsed = SCHEMAS[kind].safeParse(value);
  if (!parsed.success) throw damaged(key, z.prettifyError(parsed.error).split('\n')[0] ?? '', parsed.error);
  return parsed.data as RecordOf<K>;
}

/** A lease, or its end, under the key of another is not believed: it says itself what it is of. */
export function checkPlace<T extends LeasePlace>(record: T, place: LeasePlace, key: string): T {
  const { run, job, n } = record;
  if (run === place.run && job === place.job && n === place.n) return record;
  throw damaged(key, `it is of run ${run}, job ${job}, lease ${n}`, undefined);
}

interface LeasePlace {
  readonly run: string;
  readonly job: JobId;
  readonly n: number;
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
    hint: DAMAGED_HINT,
    cause,
  });
}

function damage(code: ErrorCode, about: { message: string; hint: string; cause?: unknown }): DamageError {
  return new DamageError({ code, ...about });
}
