import { z } from 'zod';
import { DamageError, type Json, parseJson, stringifyJson } from '../base/index.ts';

/** [RES-6] A list row has at most this many bytes: a page of fifty is read at once. */
export const ROW_BYTES_MAX = 2_048;

const amount = z.number().nullable();

const score = z.object({
  scorer: z.string(),
  name: z.string(),
  metric: z.string(),
  value: amount,
  /** 95 %, where it can be computed. */
  low: z.number().optional(),
  high: z.number().optional(),
});

export const runRow = z.object({
  version: z.literal(1),
  run: z.string(),
  /** 1 for the first; each next one names the digest of the one before it [RES-5]. */
  revision: z.number().int().positive(),
  previous: z.string().optional(),
  eval: z.string(),
  target: z.string(),
  experiment: z.string().optional(),
  tags: z.array(z.string()),
  status: z.string(),
  samples: z.object({
    total: z.number(),
    completed: z.number(),
    errored: z.number(),
    /** Undefined when scores are not of the kind that passes or fails. */
    passed: z.number().optional(),
  }),
  passRate: z.number().optional(),
  scores: z.array(score),
  tokens: z.object({ input: z.number(), output: z.number(), total: z.number() }),
  usd: amount,
  start: z.string(),
  end: z.string(),
  durationMs: z.number(),
  code: z.object({ commit: z.string(), branch: z.string().optional(), isDirty: z.boolean() }).optional(),
  by: z.object({ user: z.string(), host: z.string() }),
  log: z.object({
    name: z.string(),
    /** Of all its documents: see `digestOfDocuments`. */
    digest: z.string(),
    sizeBytes: z.number(),
    documents: z.number(),
    isFanned: z.boolean(),
    /** Documents that are not kept in git; absent when all are. */
    bodies: z
      .object({ count: z.number(), sizeBytes: z.number(), kept: z.enum(['bucket', 'nowhere']) })
      .optional(),
  }),
  /** True when something was left out to keep the row short. */
  isCut: z.literal(true).optional(),
});

/** What a row says of a run, wherever and in whatever form it is kept. */
export const rowContent = runRow.omit({ version: true, revision: true, previous: true, by: true, log: true });

export type RunRow = z.infer<typeof runRow>;
export type RowContent = z.infer<typeof rowContent>;
export type RowScore = z.infer<typeof score>;

export function readRow(bytes: Uint8Array, about: { readonly run: string }): RunRow {
  let value: Json;
  try {
    value = parseJson(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw damagedRow(about.run, 'it is no JSON', error);
  }
  const read = runRow.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw damagedRow(about.run, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'}`);
}

/** Compact, and never longer than a row may be: names are cut, then scores are left out from the end. */
export function rowBytes(row: RunRow): Uint8Array {
  const { tags, scores } = row;
  for (const [names, kept] of CUTS) {
    const isCut = kept < scores.length || kept < tags.length || names < 10_000;
    const short = isCut
      ? {
          ...cutTexts(row, names),
          scores: scores.slice(0, kept),
          tags: tags.slice(0, kept),
          isCut: true as const,
        }
      : row;
    const bytes = Buffer.from(`${stringifyJson(JSON.parse(JSON.stringify(short)) as Json)}\n`, 'utf8');
    if (bytes.length <= ROW_BYTES_MAX) return bytes;
  }
  throw new Error('a row with nothing in it is short');
}

/** The longest name, and how many scores and tags. */
const CUTS = [
  [10_000, 10_000],
  [200, 8],
  [100, 4],
  [40, 1],
  [20, 0],
] as const;

/** Whether the log may have tags that its row had no room for. */
export function mayLackTags({ isCut, tags, scores }: Pick<RunRow, 'isCut' | 'tags' | 'scores'>): boolean {
  if (!isCut) return false;
  if (tags.length === 0) return scores.length === 0;
  return tags.some(isCutText) || CUTS.some(([, kept]) => kept === tags.length);
}

/** Whether a name of a row is, or may be, what is left of a longer one. */
export function isCutOf(text: string, whole: string): boolean {
  return isCutText(text) && text.length <= whole.length && whole.startsWith(text.slice(0, -1));
}

function isCutText(text: string): boolean {
  return text.endsWith('…');
}

function cutTexts(row: RunRow, length: number): RunRow {
  const cut = (text: string) =>
    text.length > length ? `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…` : text;
  return {
    ...row,
    eval: cut(row.eval),
    target: cut(row.target),
    ...(row.experiment === undefined ? {} : { experiment: cut(row.experiment) }),
    tags: row.tags.map(cut),
    scores: row.scores.map((one) => ({
      ...one,
      scorer: cut(one.scorer),
      name: cut(one.name),
      metric: cut(one.metric),
    })),
    by: { user: cut(row.by.user), host: cut(row.by.host) },
    log: { ...row.log, name: cut(row.log.name) },
  };
}

function damagedRow(run: string, reason: string, cause?: unknown): DamageError {
  return new DamageError({
    code: 'E_RESULT_ROW',
    message: `The row of run ${run} cannot be read (${reason}).`,
    hint: 'Publish the log of that run again with "holdfast results publish".',
    cause,
  });
}
