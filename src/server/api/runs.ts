import { z } from 'zod';
import { figure, metricScore, problem, tokens } from './common.ts';

export const runForm = z.enum(['published', 'log', 'running', 'interrupted', 'unknown', 'agentv']);
export type RunForm = z.infer<typeof runForm>;

/** What a list says of a run that can be read. */
export const runFacts = z.object({
  eval: z.string(),
  target: z.string(),
  experiment: z.string().optional(),
  tags: z.array(z.string()),
  /** As the log says: `success`, `error`, `cancelled`, `started`. */
  status: z.string(),
  samples: z.object({
    total: z.number(),
    completed: z.number(),
    errored: z.number(),
    passed: z.number().optional(),
  }),
  scores: z.array(metricScore),
  tokens: tokens.optional(),
  /** Null when nobody knows what it cost. */
  usd: z.number().nullable(),
  start: z.string(),
  end: z.string(),
  durationMs: z.number(),
  code: z.object({ commit: z.string(), branch: z.string().optional(), isDirty: z.boolean() }).optional(),
  by: z.object({ user: z.string(), host: z.string() }).optional(),
});
export type RunFacts = z.infer<typeof runFacts>;

/** One point of a trend: a run of the same eval and target. */
export const trendPoint = z.object({
  run: z.string(),
  value: figure,
  low: z.number().optional(),
  high: z.number().optional(),
});
export type TrendPoint = z.infer<typeof trendPoint>;

export const runItem = z.object({
  run: z.string(),
  form: runForm,
  place: z.string(),
  name: z.string(),
  /** Why it cannot be read; then it has no facts. */
  damage: z.string().optional(),
  facts: runFacts.optional(),
  /** The last run before it of the same eval and target that has the same first score. */
  previous: z.object({ run: z.string(), difference: figure }).optional(),
  /** Oldest first, this run last; only when there is more than one. */
  trend: z.array(trendPoint).optional(),
  notes: z.number().optional(),
  removed: z.boolean().optional(),
  /** It is published as well, although another form of it is shown. */
  isPublished: z.boolean().optional(),
});
export type RunItem = z.infer<typeof runItem>;

/** How much of the store has been looked at. While it is read, only the newest runs are listed, unfiltered and in their order. */
export const indexState = z.object({ isWhole: z.boolean(), read: z.number() });

export type IndexState = z.infer<typeof indexState>;

export const runsPage = z.object({
  runs: z.array(runItem),
  offset: z.number(),
  /** How many match, and how many there are. */
  total: z.number(),
  all: z.number(),
  /** Runs under way, whatever the filter: they come on top. */
  live: z.array(runItem),
  index: indexState,
  problems: z.array(problem),
  /** The filter as it was understood, or what is wrong with it. */
  wrong: z.object({ at: z.number(), message: z.string() }).optional(),
  /** The command that gives the same rows. */
  command: z.string(),
});
export type RunsPage = z.infer<typeof runsPage>;

/** What may stand in a filter, with how often it does. */
export const runWords = z.object({
  evals: z.array(z.object({ word: z.string(), count: z.number() })),
  targets: z.array(z.object({ word: z.string(), count: z.number() })),
  tags: z.array(z.object({ word: z.string(), count: z.number() })),
  statuses: z.array(z.object({ word: z.string(), count: z.number() })),
});
export type RunWords = z.infer<typeof runWords>;

/** Whether a run differs from the one before it: by the paired test over their samples, not by two numbers. */
export const runChange = z.object({
  run: z.string(),
  previous: z.string(),
  /** `real`: better or worse by the test. `unknown`: one of the two cannot be read. */
  is: z.enum(['real', 'cannot tell', 'unknown']),
  isBetter: z.boolean().optional(),
  difference: figure.optional(),
  low: z.number().optional(),
  high: z.number().optional(),
  improved: z.number().optional(),
  regressed: z.number().optional(),
});
export type RunChange = z.infer<typeof runChange>;
export const runChanges = z.object({ changes: z.array(runChange) });
