import { z } from 'zod';
import { problem, sampleId } from './common.ts';
import { indexState } from './runs.ts';

export const sourceState = z.object({
  place: z.string(),
  kind: z.enum(['results', 'logs', 'journals', 'agentv']),
  runs: z.number(),
  damaged: z.number(),
  /** How long the last look at it took. */
  lookMs: z.number().optional(),
  problem: problem.optional(),
});

export type SourceState = z.infer<typeof sourceState>;

export const resultsState = z.object({
  repository: z.string(),
  branch: z.string(),
  commit: z.string().optional(),
  remote: z.string().optional(),
  /** Runs that the remote has not got; absent without a remote. */
  waiting: z.number().optional(),
  lastFetch: z.string().optional(),
  unread: z.array(problem),
});

export const storeView = z.object({
  sources: z.array(sourceState),
  results: resultsState.optional(),
  index: indexState,
  versions: z.array(z.object({ what: z.string(), version: z.string() })),
  health: z.array(
    z.object({ is: z.enum(['good', 'warning', 'bad']), said: z.string(), hint: z.string().optional() }),
  ),
  commands: z.array(z.object({ what: z.string(), command: z.string() })),
});
export type StoreView = z.infer<typeof storeView>;

/** What the app has to know before anything else. */
export const about = z.object({
  version: z.string(),
  places: z.array(z.string()),
  /** Whether notes can be written: there are results, and the browser has the token. */
  canWrite: z.boolean(),
  whyNot: z.string().optional(),
  /** The commit of the results that is shown. */
  commit: z.string().optional(),
  /** The commit that has all results that are shown: a link to it shows them for ever. Absent where only several commits together do. */
  lasting: z.string().optional(),
  /** Present where the address names the commit. */
  pinned: z
    .object({
      commit: z.string(),
      whenMs: z.number().optional(),
      /** Whether nothing has come since. */
      isNewest: z.boolean(),
    })
    .optional(),
  isExport: z.boolean(),
});
export type About = z.infer<typeof about>;

/** What the event stream tells, each as the data of one server-sent event. `reset`: ask for everything again. */
export const liveEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('reset') }),
  /** The list changed: runs came, went or are others now. */
  z.object({ kind: z.literal('runs'), runs: z.array(z.string()) }),
  z.object({ kind: z.literal('index'), index: indexState }),
  /** Something happened in a run under way. */
  z.object({
    kind: z.literal('run'),
    run: z.string(),
    samples: z.array(
      z.object({ id: sampleId, epoch: z.number(), is: z.enum(['begun', 'went on', 'ended']) }),
    ),
    isFinished: z.boolean(),
  }),
  z.object({ kind: z.literal('notes'), runs: z.array(z.string()) }),
]);
export type LiveEvent = z.infer<typeof liveEvent>;
