import { z } from 'zod';
import { note, outcome, problem, sampleId } from './common.ts';

export const SEARCH_PLACES = ['transcripts', 'inputs', 'notes'] as const;

export const searchHit = z.object({
  run: z.string(),
  eval: z.string(),
  target: z.string(),
  sample: sampleId.optional(),
  epoch: z.number().optional(),
  outcome: outcome.optional(),
  /** The number of the event, where it is in a transcript. */
  event: z.number().optional(),
  /** `input`, `target`, `answer`, `output`, `note`, or the kind of the event. */
  where: z.string(),
  before: z.string(),
  hit: z.string(),
  after: z.string(),
});
export type SearchHit = z.infer<typeof searchHit>;

/** One line of the stream that a search answers with. */
export const searchLine = z.object({
  hits: z.array(searchHit),
  runsSearched: z.number(),
  runsOf: z.number(),
  samplesSearched: z.number(),
  isDone: z.boolean(),
  /** False when the search stopped because there were too many hits. */
  isAll: z.boolean(),
  problems: z.array(problem),
});
export type SearchLine = z.infer<typeof searchLine>;

export const reviewItem = z.object({
  run: z.string(),
  eval: z.string(),
  target: z.string(),
  sample: sampleId,
  epoch: z.number(),
  /** What the scorer says. */
  outcome,
  scorer: z.string().optional(),
  input: z.string(),
  verdicts: z.array(note),
});
export type ReviewItem = z.infer<typeof reviewItem>;

export const reviewQueue = z.object({
  items: z.array(reviewItem),
  total: z.number(),
  judged: z.number(),
  /** Verdicts of people beside those of the scorer, over all that was judged here. */
  agreement: z.object({
    bothPass: z.number(),
    bothFail: z.number(),
    onlyScorerPasses: z.number(),
    onlyPeoplePass: z.number(),
    unsure: z.number(),
    /** Cohen's kappa; absent when it cannot be computed. */
    kappa: z.number().optional(),
  }),
  canWrite: z.boolean(),
  whyNot: z.string().optional(),
  wrong: z.object({ at: z.number(), message: z.string() }).optional(),
});
export type ReviewQueue = z.infer<typeof reviewQueue>;

/** What can be said of runs; it needs the token. */
export const saying = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('tag'),
    runs: z.array(z.string()).min(1).max(200),
    tag: z.string().min(1).max(100),
  }),
  z.object({
    kind: z.literal('untag'),
    runs: z.array(z.string()).min(1).max(200),
    tag: z.string().min(1).max(100),
  }),
  z.object({
    kind: z.literal('note'),
    run: z.string(),
    text: z.string().min(1).max(20_000),
    sample: sampleId.optional(),
    epoch: z.number().int().optional(),
    event: z.string().optional(),
  }),
  z.object({
    kind: z.literal('verdict'),
    run: z.string(),
    sample: sampleId,
    epoch: z.number().int(),
    verdict: z.enum(['pass', 'fail', 'unsure']),
    scorer: z.string().optional(),
    text: z.string().max(20_000).optional(),
  }),
  z.object({ kind: z.literal('retract'), run: z.string(), id: z.string() }),
]);
export type Saying = z.infer<typeof saying>;
export const said = z.object({ notes: z.array(note) });
