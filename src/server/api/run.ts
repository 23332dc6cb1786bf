import { z } from 'zod';
import { anyJson, change, figure, metricScore, note, outcome, problem, sampleId, verdict } from './common.ts';
import { runItem } from './runs.ts';

/** They add up to `total`. */
export const counts = z.object({
  total: z.number(),
  pass: z.number(),
  partial: z.number(),
  fail: z.number(),
  /** Scored with a number that is neither pass nor fail. */
  number: z.number(),
  error: z.number(),
  unscored: z.number(),
  running: z.number(),
  interrupted: z.number(),
  missing: z.number(),
});
export type Counts = z.infer<typeof counts>;

export const modelCost = z.object({
  model: z.string(),
  input: z.number(),
  output: z.number(),
  cached: z.number(),
  reasoning: z.number(),
  total: z.number(),
  usd: z.number().nullable(),
});

/** Money: null is unknown, and unknown is not nothing. */
export const runCost = z.object({
  usd: z.number().nullable(),
  perSolvedUsd: z.number().nullable(),
  /** What was paid for attempts that gave no result. */
  wastedUsd: z.number().nullable(),
  /** What would have been paid, had nothing been reused or replayed. */
  savedUsd: z.number().nullable(),
  models: z.array(modelCost),
});
export type RunCost = z.infer<typeof runCost>;

/** One time that a run was worked on by one process. */
export const runSession = z.object({
  start: z.string(),
  end: z.string().optional(),
  host: z.string().optional(),
  ended: z.enum(['finished', 'stopped', 'died', 'running', 'unknown']),
  /** What answers cost that were paid for and cannot be read any more; absent where nobody says. */
  lostUsd: z.number().optional(),
  /** "died", "stopped by its budget": what comes before the time of its end, which is told in the time of whoever reads. */
  how: z.string(),
  /** What comes after it: "112 kept, 6 replayed, $0 lost". May be empty. */
  said: z.string(),
});
export type RunSession = z.infer<typeof runSession>;

export const scoreOfRun = metricScore.extend({
  reducer: z.string().optional(),
  scored: z.number().optional(),
  unscored: z.number().optional(),
});

/** Against the previous run of the same eval and target; only what differs. */
export const sincePrevious = z.object({
  run: z.string(),
  verdict,
  said: z.string(),
  improved: z.number(),
  regressed: z.number(),
  changes: z.array(change),
});

export const runView = z.object({
  item: runItem,
  /** One sentence that says how it went. */
  said: z.string(),
  model: z.string(),
  version: z.string(),
  dataset: z.string(),
  epochs: z.number(),
  scorers: z.array(z.string()),
  error: z.string().optional(),
  scores: z.array(scoreOfRun),
  counts,
  cost: runCost,
  sessions: z.array(runSession),
  previous: sincePrevious.optional(),
  /** Where else it is kept, and copies of it. */
  also: z.array(
    z.object({ form: z.string(), place: z.string(), name: z.string(), damage: z.string().optional() }),
  ),
  notes: z.array(note),
  /** Settings of the run, grouped; what differs from the previous run has its value there beside it. */
  config: z.array(
    z.object({
      group: z.string(),
      key: z.string(),
      value: anyJson,
      previous: anyJson.optional(),
      isChanged: z.boolean(),
    }),
  ),
  problems: z.array(problem),
  commands: z.array(z.object({ what: z.string(), command: z.string() })),
});
export type RunView = z.infer<typeof runView>;

/** A sample at one epoch, as a table shows it. */
export const sampleEpoch = z.object({
  epoch: z.number(),
  outcome,
  /** By the name of the score. */
  scores: z.record(
    z.string(),
    z.object({ value: anyJson, number: figure.optional(), answer: z.string().optional() }),
  ),
  error: z.string().optional(),
  limit: z.string().optional(),
  retries: z.number().optional(),
  usd: z.number().nullable(),
  tokens: z.number(),
  turns: z.number().optional(),
  messages: z.number().optional(),
  durationMs: z.number().optional(),
  /** How it came to be: run here, kept from an earlier run, scored anew, replayed, recovered. */
  made: z.string().optional(),
});
export type SampleEpoch = z.infer<typeof sampleEpoch>;

export const sampleItem = z.object({
  id: sampleId,
  /** Position in the run's own order, from 1. */
  number: z.number(),
  /** Cut to one line. */
  input: z.string(),
  target: z.string(),
  metadata: z.record(z.string(), anyJson),
  epochs: z.array(sampleEpoch),
  /** Of the score that decides: k of n epochs passed; absent where epochs neither pass nor fail. */
  passed: z.number().optional(),
  verdicts: z.array(note).optional(),
});
export type SampleItem = z.infer<typeof sampleItem>;

export const samplesPage = z.object({
  samples: z.array(sampleItem),
  offset: z.number(),
  total: z.number(),
  all: z.number(),
  /** Of all samples of the run, whatever the filter: how many are in each of the states that are often asked for. */
  states: z.record(z.string(), z.number()).optional(),
  /** Names of scores in the order of the scorers; the first decides the outcome unless `score` says otherwise. */
  scores: z.array(z.string()),
  score: z.string().optional(),
  metadataKeys: z.array(z.string()),
  wrong: z.object({ at: z.number(), message: z.string() }).optional(),
  command: z.string(),
});
export type SamplesPage = z.infer<typeof samplesPage>;

/** The samples of a run in the order of a filter and a sort, for going from one to the next. */
export const sampleOrder = z.object({
  keys: z.array(z.tuple([sampleId, z.number(), outcome])),
});
export type SampleOrder = z.infer<typeof sampleOrder>;

/** The last results of samples: in the newest runs of the same eval on the same target up to this one, and in this one. */
export const sampleStrips = z.object({
  /** Oldest first; the last is the run itself. */
  runs: z.array(z.object({ run: z.string(), start: z.string(), commit: z.string().optional() })),
  /** In the order in which samples were named: one of `CELL_LETTERS` for each of the runs. */
  strips: z.array(z.string()),
});
export type SampleStrips = z.infer<typeof sampleStrips>;

/** The run on one axis of time. Times are milliseconds after `startMs`. */
export const runTimeline = z.object({
  startMs: z.number(),
  endMs: z.number(),
  samples: z.array(
    z.object({
      id: sampleId,
      epoch: z.number(),
      from: z.number(),
      to: z.number(),
      outcome,
      limit: z.string().optional(),
    }),
  ),
  /** How many were under way, at each change. */
  active: z.array(z.tuple([z.number(), z.number()])),
  /**
   * Tokens a second, in stretches of `binMs` from the beginning on; absent where none are known. The tokens of a sample are spread over the
   * time that it took.
   */
  tokens: z.object({ binMs: z.number(), perSecond: z.array(z.number()) }).optional(),
  /** Waits that providers asked for, tries that failed, crashes, settings that were changed meanwhile. */
  marks: z.array(
    z.object({
      at: z.number(),
      to: z.number().optional(),
      kind: z.enum(['rate limit', 'retry', 'crash', 'config']),
      said: z.string(),
    }),
  ),
});
export type RunTimeline = z.infer<typeof runTimeline>;
