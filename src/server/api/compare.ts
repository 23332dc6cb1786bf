import { z } from 'zod';
import { anyJson, change, figure, outcome, sampleId, text, verdict } from './common.ts';
import { runItem } from './runs.ts';

/** A figure of a run beside the same of the base: a score, whether samples completed, cost, tokens or time. */
export const figureCompared = z.object({
  figure: z.string(),
  group: z.enum(['score', 'completed', 'spent']),
  kind: z.enum(['pass/fail', 'number']),
  betterWhen: z.enum(['higher', 'lower']),
  verdict,
  before: figure.nullable(),
  after: figure.nullable(),
  difference: figure,
  low: z.number().optional(),
  high: z.number().optional(),
  p: figure,
  pAdjusted: figure.optional(),
  /** The name of the test. */
  test: z.string(),
  pairs: z.number(),
  improved: z.number(),
  regressed: z.number(),
  leftOut: z.object({ errored: z.number(), unscored: z.number() }),
  /** "3 more epochs of these 40 samples decide it, ≈ $6.10" */
  wouldDecide: z.string().optional(),
});
export type FigureCompared = z.infer<typeof figureCompared>;

export const comparedRun = z.object({
  item: runItem,
  verdict,
  /** The verdict in one sentence. */
  said: z.string(),
  figures: z.array(figureCompared),
  changes: z.array(change),
  warnings: z.array(z.string()),
  /** Of the score that is shown, over samples (epochs folded). */
  flips: z.object({
    bothPass: z.number(),
    onlyBefore: z.number(),
    onlyAfter: z.number(),
    bothFail: z.number(),
    /** Samples that changed in a way that is neither. */
    other: z.number(),
    notInBefore: z.number(),
    notInAfter: z.number(),
  }),
});
export type ComparedRun = z.infer<typeof comparedRun>;

export const compareView = z.object({
  base: runItem,
  others: z.array(comparedRun),
  /** Figures that can be shown, the first is by default. */
  scores: z.array(z.string()),
  score: z.string().optional(),
  command: z.string(),
});
export type CompareView = z.infer<typeof compareView>;

/** A sample in one run of a comparison. */
export const comparedCell = z.object({
  outcome,
  number: figure.optional(),
  passed: z.number().optional(),
  epochs: z.number(),
  usd: z.number().nullable(),
  turns: z.number().optional(),
  durationMs: z.number().optional(),
});
export type ComparedCell = z.infer<typeof comparedCell>;

export const comparedSample = z.object({
  id: sampleId,
  input: z.string(),
  /** In the order of the runs, the base first. */
  cells: z.array(comparedCell),
  /** How the worst of the others stands to the base. */
  is: z.enum(['regressed', 'improved', 'same', 'only in some']),
  difference: figure.optional(),
});
export type ComparedSample = z.infer<typeof comparedSample>;

export const comparedSamples = z.object({
  samples: z.array(comparedSample),
  offset: z.number(),
  total: z.number(),
  all: z.number(),
  wrong: z.object({ at: z.number(), message: z.string() }).optional(),
});
export type ComparedSamples = z.infer<typeof comparedSamples>;

/** How each outcome is written in a matrix. */
export const CELL_LETTERS = {
  pass: 'p',
  partial: 'h',
  fail: 'f',
  number: 'n',
  error: 'e',
  unscored: 'u',
  running: 'r',
  interrupted: 'i',
  missing: '.',
} as const;

/** Samples × runs. One letter a cell, row after row: a hundred thousand objects would not be painted in time. */
export const matrixView = z.object({
  runs: z.array(runItem),
  samples: z.array(sampleId),
  cells: z.string(),
  /** Where cells are numbers: their value between the least and the greatest, 0 to 9, at the same places; else empty. */
  heat: z.string(),
  score: z.string().optional(),
});
export type MatrixView = z.infer<typeof matrixView>;

/** A turn of one transcript: the events from a model call to the next. */
export const turn = z.object({
  /** The number of its first event, and of the one after its last. */
  from: z.number(),
  to: z.number(),
  label: z.string(),
  /** The beginning of what was said; `→` what a tool was asked, `←` what it gave, `!` what went wrong. */
  text: text,
  tools: z.array(z.string()),
});

/** Two transcripts of one sample, aligned by turn. */
export const alignedTranscripts = z.object({
  sample: sampleId,
  sides: z.array(
    z.object({ item: runItem, epoch: z.number(), outcome, turns: z.number(), output: text, input: anyJson }),
  ),
  rows: z.array(
    z.object({ is: z.enum(['same', 'changed', 'only a', 'only b']), a: turn.optional(), b: turn.optional() }),
  ),
  /** The index of the first row that is not the same; absent when all are. */
  firstDivergence: z.number().optional(),
  /** False when the transcripts were too long to align to their ends. */
  isAll: z.boolean(),
});
export type AlignedTranscripts = z.infer<typeof alignedTranscripts>;
