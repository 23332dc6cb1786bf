import {
  definedOf,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
} from '../../base/index.ts';

/** One sample of a run of AgentV, as its index tells it. */
export interface AgentvSample {
  /** The id of the test, and where that is not enough its suite and target. */
  readonly id: string;
  readonly epoch: number;
  readonly target: string;
  readonly suite: string | undefined;
  /** As AgentV judged it: passed, failed, or not run to its end. */
  readonly status: 'ok' | 'quality_failure' | 'execution_error';
  readonly error: string | undefined;
  readonly score: number | undefined;
  readonly graders: readonly {
    readonly name: string;
    readonly score: number;
    readonly reason: string | undefined;
  }[];
  readonly tokens: { readonly input: number; readonly output: number } | undefined;
  readonly usd: number | undefined;
  readonly durationMs: number | undefined;
  /** When it was written. */
  readonly time: string | undefined;
  /** The folder of this sample, where it is one of several. */
  readonly folder: string | undefined;
  /** The row itself. */
  readonly row: JsonObject;
}

export interface AgentvRows {
  readonly samples: readonly AgentvSample[];
  /** What of the index could not be read. */
  readonly damage?: string;
}

/** Reads an index: a line for each test, the last of those for the same test, in rows of every version that is known. */
export function readRows(index: string): AgentvRows {
  const rows = new Map<string, JsonObject>();
  let damage: string | undefined;
  for (const [at, line] of index.split('\n').entries()) {
    if (line.trim() === '') continue;
    const row = tryParse(line);
    if (row && typeof row.test_id === 'string') rows.set(keyOf(row), row);
    else damage ??= `Line ${at + 1} of its index.jsonl is no row of AgentV.`;
  }
  const all = [...rows.values()];
  const isTwice = new Set(all.map(({ test_id: id }) => String(id))).size < all.length;
  return {
    samples: all.flatMap((row) => samplesOf(row, isTwice)),
    ...definedOf({ damage }),
  };
}

function tryParse(line: string): JsonObject | undefined {
  try {
    const value = parseJson(line);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return undefined;
  }
}

/** Whoever resumes a run adds rows: the last one counts. */
function keyOf({ test_id, suite, target, variant }: JsonObject): string {
  return JSON.stringify([test_id, suite ?? null, target ?? null, variant ?? null]);
}

/** A test that was repeated has a list of its samples; it is called `attempts` by the first of version 5. */
function samplesOf(row: JsonObject, isTwice: boolean): AgentvSample[] {
  const target = textOf(row.target) ?? 'unknown';
  const suite = textOf(row.suite);
  const testId = String(row.test_id);
  const about = {
    id: isTwice ? [suite, testId, target].filter(Boolean).join(' / ') : testId,
    target,
    suite,
    row,
  };
  const repeated = [row.samples, row.attempts].find((list) => isJsonArray(list) && list.length > 1);
  if (!isJsonArray(repeated)) return [{ ...about, epoch: 1, folder: undefined, ...judged(row, row) }];
  return repeated.filter(isJsonObject).map((sample, at) => {
    const folder = textOf(sample.sample_path) ?? `sample-${at + 1}`;
    return { ...about, epoch: at + 1, folder, ...judged(sample, row) };
  });
}

/** Figures of the sample; its row has those of all of its samples together. */
function judged(sample: JsonObject, row: JsonObject) {
  const error = textOf(sample.error);
  return {
    status: statusOf(sample, error),
    error,
    score: numberOf(sample.score),
    graders: gradersOf(sample.scores),
    tokens: tokensOf(sample.token_usage),
    usd: numberOf(sample.cost_usd),
    durationMs: numberOf(sample.duration_ms),
    time: textOf(sample.end_time) ?? textOf(sample.timestamp) ?? textOf(row.timestamp),
  };
}

const STATUSES = ['ok', 'quality_failure', 'execution_error'] as const;

function statusOf({ execution_status: said, verdict, pass }: JsonObject, error: string | undefined) {
  const known = STATUSES.find((status) => status === said);
  if (known) return known;
  if (error !== undefined) return 'execution_error';
  return verdict === 'pass' || pass === true ? 'ok' : 'quality_failure';
}

function gradersOf(scores: Json | undefined): AgentvSample['graders'] {
  if (!isJsonArray(scores)) return [];
  return scores.filter(isJsonObject).flatMap((one) => {
    const name = textOf(one.name);
    const score = numberOf(one.score);
    if (name === undefined || score === undefined) return [];
    return [
      { name, score, reason: textOf(one.reason) ?? textOf(one.reasoning) ?? assertionsOf(one.assertions) },
    ];
  });
}

function assertionsOf(assertions: Json | undefined): string | undefined {
  if (!isJsonArray(assertions)) return undefined;
  const texts = assertions.filter(isJsonObject).map(({ text }) => textOf(text));
  return texts.filter((text) => text !== undefined).join('\n') || undefined;
}

function tokensOf(usage: Json | undefined): AgentvSample['tokens'] {
  if (usage === undefined || !isJsonObject(usage)) return undefined;
  return { input: numberOf(usage.input) ?? 0, output: numberOf(usage.output) ?? 0 };
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
