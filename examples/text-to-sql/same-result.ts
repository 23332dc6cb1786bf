/** Executes the query of the answer and the expected one, and compares what they give. */
import { join } from 'node:path';
import process from 'node:process';
import { type ScorerContext, scorer } from 'holdfast';
import { databasePath } from './databases.ts';

const TIME_MS = 5_000;

type Result = { readonly rows: readonly (readonly unknown[])[] } | { readonly error: string };

export const sameResult = scorer<string, string, string>('same_result', async (context) => {
  const { target: gold = '', text } = context;
  const expected = await resultOf(gold, context);
  // The eval is wrong, not the answer: the sample is left unscored.
  if ('error' in expected) throw new Error(`The expected query cannot be executed: ${expected.error}`);
  const given = await resultOf(text, context);
  if ('error' in given) return { value: 0, answer: text, explanation: given.error };
  // Only who was asked for an order has to keep it.
  const isOrdered = /\border\s+by\b/i.test(gold);
  const [want, have] = [expected, given].map(({ rows }) => textOf(rows, isOrdered));
  const explanation = want === have ? `As expected: ${have}` : `Expected ${want}\nbut got ${have}`;
  return { value: want === have ? 1 : 0, answer: text, explanation };
});

/** In a process of its own: SQLite works without ever pausing, and a query that never ends could not be stopped in this one. */
async function resultOf(query: string, { sample, exec }: ScorerContext): Promise<Result> {
  const database = databasePath(String(sample.metadata?.db));
  const program = join(import.meta.dirname, 'run-query.mjs');
  const ended = await exec([process.execPath, program, database], { stdin: query, timeoutMs: TIME_MS });
  if (ended.timedOut) return { error: `The query took longer than ${TIME_MS / 1_000} s.` };
  if (ended.exitCode !== 0) throw new Error(`run-query.mjs failed: ${ended.stderr}`);
  return JSON.parse(ended.stdout) as Result;
}

function textOf(rows: readonly (readonly unknown[])[], isOrdered: boolean): string {
  const lines = rows.map((row) => JSON.stringify(row.map(roundedOf)));
  return `[${(isOrdered ? lines : lines.sort()).join(', ')}]`;
}

/** Sums of the same numbers in another order differ in their last digits. */
function roundedOf(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(12)) : value;
}
