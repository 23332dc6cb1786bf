/** What the Studio is told of shared runs. What cannot be told is null, and shown as unknown. */
import { z } from 'zod';
import { problem } from './common.ts';

const text = z.string();
const amount = z.number();

const jobCounts = z.object({
  planned: amount,
  completed: amount,
  errored: amount,
  aside: amount,
  running: amount,
  due: amount,
  /** Nobody can tell what became of them in this round. */
  damaged: amount,
});

const workerState = z.enum(['live', 'silent', 'ended', 'unknown']);

export const sharedRow = z.object({
  run: text,
  state: z.enum(['queued', 'running', 'stalled', 'interrupted', 'complete', 'cancelled', 'unknown']),
  eval: text,
  target: text,
  round: amount,
  submittedAt: text,
  submittedBy: text,
  samples: jobCounts.extend({ reused: amount }),
  builds: jobCounts,
  lostLeases: amount,
  /** How many stored objects of it cannot be read. */
  damaged: amount,
  usd: amount,
  /** What it may cost, in all its rounds. */
  budgetUsd: amount.optional(),
  /** Ends that do not say what they cost. */
  unpriced: amount,
  /** How many workers there are of each state, of those that have to do with it. Those that live and refuse it are apart. */
  workers: z.object({ live: amount, refusing: amount, silent: amount, ended: amount, unknown: amount }),
  lastEndedAt: text.optional(),
});
export type SharedRow = z.infer<typeof sharedRow>;

export const sharedPage = z.object({
  /** Null where no bucket is named: then there is nothing to look at, and it is said what to set. */
  bucket: text.nullable(),
  whyNone: z.object({ said: text, hint: text }).optional(),
  /** The latest first. */
  runs: z.array(sharedRow),
  /** Runs that cannot be read. */
  damaged: z.array(z.object({ run: text, problem })),
  offset: amount,
  total: amount,
});
export type SharedPage = z.infer<typeof sharedPage>;

/** What happened in each of many intervals of the same length, by the clocks of those who ended it. */
const sharedRates = z.object({
  startMs: amount,
  stepMs: amount,
  completed: z.array(amount),
  /** Errored, and set aside. */
  failed: z.array(amount),
  lost: z.array(amount),
  builds: z.array(amount),
  /** What was spent in each. */
  usd: z.array(amount),
});
export type SharedRates = z.infer<typeof sharedRates>;

const sharedBuild = z.object({
  job: text,
  unit: text,
  recipe: text,
  /** How many samples read it. */
  samples: amount,
  state: z.enum(['waiting', 'due', 'running', 'completed', 'errored', 'aside', 'damaged']),
  worker: text.optional(),
  since: text.optional(),
  ageMs: amount.nullable().optional(),
  generation: text.optional(),
  digest: text.optional(),
  /** Whether this generation is in the warm cache here. */
  isHere: z.boolean(),
  usd: amount.optional(),
  reason: text.optional(),
  endedAt: text.optional(),
});
export type SharedBuild = z.infer<typeof sharedBuild>;

export const sharedRunView = z.object({
  bucket: text,
  row: sharedRow,
  said: text,
  rates: sharedRates,
  rounds: z.array(
    z.object({
      n: amount,
      by: text,
      at: text,
      cancelled: z.object({ by: text, at: text, reason: text.optional() }).optional(),
    }),
  ),
  builds: z.array(sharedBuild),
  /** What is stored of it and cannot be read, with the job that it is of. */
  damaged: z.array(z.object({ key: text, job: text.optional(), problem: text })),
  inFlight: amount,
  failureCount: amount,
  /** Whether its log is among the runs here. */
  isHere: z.boolean(),
  commands: z.array(z.object({ what: text, command: text })),
});
export type SharedRunView = z.infer<typeof sharedRunView>;

/** Which sample a job is, as far as the submission tells. */
const sampleOf = z.object({ id: z.union([z.string(), z.number()]), epoch: amount });

const sharedLease = z.object({
  job: text,
  sample: sampleOf.optional(),
  /** Of a build. */
  unit: text.optional(),
  worker: text,
  host: text.optional(),
  n: amount,
  since: text,
  ageMs: amount.nullable(),
  state: workerState,
});
export type SharedLease = z.infer<typeof sharedLease>;

export const sharedLeases = z.object({
  /** The oldest first. */
  leases: z.array(sharedLease),
  offset: amount,
  total: amount,
});
export type SharedLeases = z.infer<typeof sharedLeases>;

const sharedWorker = z.object({
  worker: text,
  host: text.optional(),
  state: workerState,
  slots: amount,
  silentMs: amount.nullable(),
  /** What it has: of this run, and how much of others. */
  has: z.array(
    z.object({
      job: text,
      sample: sampleOf.optional(),
      unit: text.optional(),
      since: text,
      ageMs: amount.nullable(),
    }),
  ),
  others: amount,
  /** Why it does not work on this run. */
  refuses: text.optional(),
});
export type SharedWorker = z.infer<typeof sharedWorker>;

export const sharedWorkers = z.object({
  /** Those that refuse or fell silent first, then the busiest. */
  workers: z.array(sharedWorker),
  offset: amount,
  total: amount,
});
export type SharedWorkers = z.infer<typeof sharedWorkers>;

const sharedFailure = z.object({
  job: text,
  sample: sampleOf.optional(),
  unit: text.optional(),
  is: z.enum(['errored', 'aside', 'lost']),
  n: amount,
  round: amount,
  worker: text,
  by: text,
  at: text,
  reason: text.optional(),
  usd: amount.optional(),
  /** A later lease of the same job ended well, or is under way. */
  isMended: z.boolean(),
});
export type SharedFailure = z.infer<typeof sharedFailure>;

export const sharedFailures = z.object({
  /** The latest first. */
  failures: z.array(sharedFailure),
  offset: amount,
  total: amount,
});
export type SharedFailures = z.infer<typeof sharedFailures>;

export const sharedQueue = z.discriminatedUnion('is', [
  z.object({ is: z.literal('none'), said: text, hint: text }),
  /** No more than these are of this run: an engine that runs share may count those of all. */
  z.object({ is: z.literal('known'), atMost: amount }),
  z.object({ is: z.literal('away'), problem }),
]);
export type SharedQueue = z.infer<typeof sharedQueue>;
