/** What the Studio is told of the warm cache and of merges into it. */
import { z } from 'zod';

const text = z.string();
const amount = z.number();

const cost = z.object({ usd: amount.nullable(), tokens: amount, calls: amount });

const unusable = z.object({
  generation: text,
  reason: text,
  place: text,
  /** It would be the current one: nothing of its recipe is used until a whole copy comes, or a rebuild. */
  isCurrent: z.boolean(),
  /** A later version of Holdfast wrote it: it is no damage. */
  isNewer: z.boolean(),
});

const recipeRow = z.object({
  kind: text,
  key: text,
  /** The whole of it, or its beginning where nothing of it can be read. */
  recipe: text,
  version: text.optional(),
  generations: amount,
  /** Of all its generations. */
  bytes: amount,
  current: z
    .object({ generation: text, digest: text, created: text, files: amount, bytes: amount, cost, run: text })
    .nullable(),
  unusable: z.array(unusable),
});
export type RecipeRow = z.infer<typeof recipeRow>;

export const artifactsPage = z.object({
  /** Null where no cache is looked at. */
  cache: text.nullable(),
  /** By unit. */
  recipes: z.array(recipeRow),
  offset: amount,
  total: amount,
  all: amount,
  units: amount,
  generations: amount,
  bytes: amount,
  /** What building all of it has cost, and how many generations do not say. */
  usd: amount,
  unpriced: amount,
  /** Generations that were set aside here, ever. */
  setAside: amount,
  merges: amount,
  commands: z.array(z.object({ what: text, command: text })),
});
export type ArtifactsPage = z.infer<typeof artifactsPage>;

/** A generation that lies in the cache here, to be led to. */
const relative = z.object({ kind: text, key: text, recipe: text, generation: text });

const generationView = z.object({
  generation: text,
  digest: text,
  /** `superseded`: a rebuild took its place. `other`: it came from elsewhere, and another one was current already. */
  is: z.enum(['current', 'superseded', 'other']),
  created: text,
  producer: z.object({ version: text, run: text, writer: text }),
  /** Whether the run that built it is among the runs here. */
  isRunHere: z.boolean(),
  cost,
  bytes: amount,
  files: z.array(z.object({ path: text, size: amount })),
  /** How many files it has: no more than some are listed. */
  filesOf: amount,
  supersedes: z.array(text),
  supersededBy: z.array(text),
  /** Artifacts that it was made of. */
  madeOf: z.array(z.object({ name: text, generation: text, digest: text, found: relative.optional() })),
  /** Artifacts here that were made of it. */
  madeInto: z.array(relative),
  notes: text.optional(),
});
export type GenerationView = z.infer<typeof generationView>;

export const artifactView = z.object({
  cache: text,
  kind: text,
  key: text,
  recipe: text,
  version: text.optional(),
  /** As JSON. */
  parameters: text.optional(),
  inputs: z.array(z.object({ name: text, kind: text, digest: text })),
  /** The current one first, then the latest. */
  generations: z.array(generationView),
  unusable: z.array(unusable),
  /** Other recipes of the same unit: its inputs, its version or its parameters changed. */
  siblings: z.array(z.object({ recipe: text, created: text.optional() })),
  commands: z.array(z.object({ what: text, command: text })),
});
export type ArtifactView = z.infer<typeof artifactView>;

export const artifactUses = z.object({
  /** The latest first. */
  runs: z.array(
    z.object({ run: text, eval: text, target: text, start: text, generation: text, digest: text }),
  ),
  /** How many runs were looked into, the newest, of all that are here. */
  looked: amount,
  of: amount,
  unread: amount,
});
export type ArtifactUses = z.infer<typeof artifactUses>;

const mergeState = z.enum([
  'installed',
  'kept-current',
  'superseded',
  'already-here',
  'incomplete',
  'corrupt',
  'conflicting',
  'never-seen',
  'failed',
]);

const reportRow = z.object({
  id: text,
  created: text.optional(),
  sources: z.array(text),
  entries: amount,
  changes: amount,
  /** How many of each state; only those that there are. */
  counts: z.array(z.object({ state: mergeState, count: amount })),
  isComplete: z.boolean(),
  /** Why it cannot be read. */
  damage: text.optional(),
});

export const mergeReportsPage = z.object({
  cache: text.nullable(),
  /** The latest first. */
  reports: z.array(reportRow),
  offset: amount,
  total: amount,
});
export type MergeReportsPage = z.infer<typeof mergeReportsPage>;

export const mergeReportView = z.object({
  id: text,
  created: text,
  isComplete: z.boolean(),
  counts: z.array(z.object({ state: mergeState, count: amount })),
  sources: z.array(
    z.object({
      name: text,
      state: z.enum(['read', 'absent', 'failed']),
      generations: amount,
      reason: text.optional(),
    }),
  ),
  /** What is not as it should be first. */
  entries: z.array(
    z.object({
      unit: text,
      recipe: text.nullable(),
      generation: text.nullable(),
      state: mergeState,
      source: text.nullable(),
      files: amount,
      bytes: amount,
      run: text.optional(),
      reason: text.optional(),
      /** Whether the recipe is in the cache now. */
      isHere: z.boolean(),
    }),
  ),
  changes: z.array(z.object({ unit: text, recipe: text, from: text.nullable(), to: text })),
});
export type MergeReportView = z.infer<typeof mergeReportView>;
