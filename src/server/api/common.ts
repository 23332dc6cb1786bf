import { z } from 'zod';

/** Numbers that JSON has no words for are tagged, so that every reader takes the answer. */
const tagged = z.object({ $number: z.enum(['NaN', 'Infinity', '-Infinity']) });

/** A number as it is computed with: what was tagged is a number again. */
export const figure = z.union([z.number(), tagged.transform(({ $number }) => Number($number))]);

/** Any JSON; `$number` and `$cut` in it are ours. */
export const anyJson: z.ZodType<AnyJson> = z.json();
export type AnyJson = z.infer<ReturnType<typeof z.json>>;

/**
 * Stands where a text is too long to be sent whole. The rest is asked for by its place: `at` names it to the server, and means
 * nothing to anybody else.
 */
export const cutText = z.object({
  $cut: z.object({
    head: z.string(),
    /** In UTF-16 units, as JavaScript counts. */
    length: z.number(),
    at: z.string(),
    /**
     * Present where so many items of a list, or members of an object, were left out: the text is their JSON. In an object it stands
     * under the key `$more`. Keys of the transcript itself that are called `$cut`, `$number` or `$more` have one more `$`.
     */
    items: z.number().optional(),
    /** It has not been read yet: head and length are not known. Asking for it waits for it. */
    isLater: z.boolean().optional(),
  }),
});
export type CutText = z.infer<typeof cutText>;

export const text = z.union([z.string(), cutText]);
export type Text = z.infer<typeof text>;

export const sampleId = z.union([z.string(), z.number()]);
export type SampleId = z.infer<typeof sampleId>;

/**
 * What became of a sample at one epoch. An error is not a wrong answer, and what was never scored is neither. A limit that was
 * hit is told beside it: what was scored after a limit counts as scored.
 */
export const outcome = z.enum([
  'pass',
  'partial',
  'fail',
  'number',
  'error',
  'unscored',
  'running',
  /** It was under way when the run was, and nobody works on that any more. */
  'interrupted',
  'missing',
]);
export type Outcome = z.infer<typeof outcome>;

export const metricScore = z.object({
  scorer: z.string(),
  name: z.string(),
  metric: z.string(),
  value: figure.nullable(),
  /** 95 %, where it can be computed. */
  low: z.number().optional(),
  high: z.number().optional(),
});
export type MetricScore = z.infer<typeof metricScore>;

export const verdict = z.enum(['better', 'worse', 'cannot tell']);
export type Verdict = z.infer<typeof verdict>;

/** What went wrong, in the words that the command line has for it. */
export const problem = z.object({
  code: z.string(),
  message: z.string(),
  hint: z.string(),
  place: z.string().optional(),
});
export type Problem = z.infer<typeof problem>;

/** The body of every answer that is no success. */
export const errorAnswer = z.object({ error: problem });

/** What differs between two runs. */
export const change = z.object({ what: z.string(), said: z.string(), isWarning: z.boolean() });
export type Change = z.infer<typeof change>;

export const tokens = z.object({ input: z.number(), output: z.number(), total: z.number() });

/** What people said: kept in git beside the run, never in its log. */
export const note = z.object({
  id: z.string(),
  run: z.string(),
  kind: z.enum(['note', 'verdict']),
  by: z.string(),
  time: z.string(),
  text: z.string().optional(),
  verdict: z.enum(['pass', 'fail', 'unsure']).optional(),
  scorer: z.string().optional(),
  sample: sampleId.optional(),
  epoch: z.number().optional(),
  /** The uuid of an event. */
  event: z.string().optional(),
});
export type Note = z.infer<typeof note>;
