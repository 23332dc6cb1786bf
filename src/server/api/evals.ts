import { z } from 'zod';
import { change, figure, metricScore, outcome, sampleId } from './common.ts';
import { runItem, trendPoint } from './runs.ts';

export const evalItem = z.object({
  eval: z.string(),
  runs: z.number(),
  targets: z.array(z.string()),
  last: runItem,
  trend: z.array(trendPoint),
});
export const evalsPage = z.object({ evals: z.array(evalItem), isWhole: z.boolean() });
export type EvalsPage = z.infer<typeof evalsPage>;

export const historyPoint = z.object({
  run: z.string(),
  start: z.string(),
  target: z.string(),
  commit: z.string().optional(),
  branch: z.string().optional(),
  status: z.string(),
  score: metricScore.optional(),
  usdPerSample: z.number().nullable(),
});
export type HistoryPoint = z.infer<typeof historyPoint>;

/** A sample whose outcome is another than it was. */
export const turnedSample = z.object({
  id: sampleId,
  target: z.string(),
  /** The last run in which it passed, and the first in which it failed. */
  passedIn: z.string(),
  failedIn: z.string(),
  commits: z.object({ from: z.string().optional(), to: z.string().optional() }),
  history: z.array(outcome),
});
export type TurnedSample = z.infer<typeof turnedSample>;

export const flakySample = z.object({
  id: sampleId,
  target: z.string(),
  /** How often the outcome is another than in the run before: 0 to 1. */
  flipRate: z.number(),
  history: z.array(outcome),
});

export const evalView = z.object({
  eval: z.string(),
  /** Oldest first. */
  points: z.array(historyPoint),
  metrics: z.array(z.string()),
  newlyFailing: z.array(turnedSample),
  flaky: z.array(flakySample),
  /** How many samples on one target each the two lists are chosen from. */
  pairs: z.number().optional(),
  /** How many of the newest runs were read for the two lists. */
  runsRead: z.number(),
  command: z.string(),
});
export type EvalView = z.infer<typeof evalView>;

export const samplePoint = z.object({
  run: z.string(),
  start: z.string(),
  target: z.string(),
  commit: z.string().optional(),
  outcome,
  passed: z.number().optional(),
  epochs: z.number(),
  number: figure.optional(),
  usd: z.number().nullable(),
  answer: z.string().optional(),
  /** Present where the outcome is another than before. */
  flip: z
    .object({ from: outcome, since: z.string(), changes: z.array(change), isExplained: z.boolean() })
    .optional(),
});
export type SamplePoint = z.infer<typeof samplePoint>;

/** One sample over time, oldest first. */
export const sampleOverTime = z.object({
  eval: z.string(),
  sample: sampleId,
  input: z.string(),
  state: z.enum(['stable', 'flipped', 'flaky']),
  because: z.string().optional(),
  points: z.array(samplePoint),
  runsRead: z.number(),
  command: z.string(),
});
export type SampleOverTime = z.infer<typeof sampleOverTime>;
