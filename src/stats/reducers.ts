/** Reducers make one score of a sample out of its scores at all epochs. */
import { definedOf, isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { mean, median } from './moments.ts';
import { isNaNValue, isUnscored, type ScoreLike, shapeOf, toFloat } from './score-value.ts';

/** A reducer as it is named in an eval and in the log: `mean`, `at_least_2`, `pass_at_5`, `pass_k_3`. */
export interface Reducer {
  readonly name: string;
  reduce(scores: readonly ScoreLike[]): ReducedScore;
  /** The fewest epochs for which the result is a number. */
  readonly epochsMin: number;
}

export interface ReducedScore {
  readonly score: ScoreLike;
  /** Why the scores could not be reduced; the score is then NaN. */
  readonly problem?: string;
}

export const REDUCER_FORMS = [
  'mean',
  'median',
  'mode',
  'max',
  'collect',
  'at_least_<k>',
  'pass_at_<k>',
  'pass_k_<k>',
] as const;

/** The reducer of that name, or undefined when there is none. */
export function readReducer(name: string): Reducer | undefined {
  const numbered = /^(at_least|pass_at|pass_k)_(\d+)$/.exec(name);
  if (numbered === null) return plainReducer(name);
  const k = Number(numbered[2]);
  if (k < 1) return undefined;
  switch (numbered[1]) {
    case 'at_least':
      return reducerOf(name, 1, (values) => (countCorrect(values.map(floatOf)) >= k ? 1 : 0));
    case 'pass_at':
      return reducerOf(
        name,
        k,
        onFloats((floats) => passAt(floats.length, countCorrect(floats), k)),
      );
    default:
      return reducerOf(
        name,
        k,
        onFloats((floats) => passAll(floats.length, countCorrect(floats), k)),
      );
  }
}

function plainReducer(name: string): Reducer | undefined {
  switch (name) {
    case 'mean':
      return reducerOf(name, 1, onFloats(mean));
    case 'median':
      return reducerOf(name, 1, onFloats(median));
    case 'mode':
      return reducerOf(name, 1, mostCommon);
    case 'max':
      return reducerOf(name, 1, greatest);
    case 'collect':
      return { name, epochsMin: 1, reduce: collect };
    default:
      return undefined;
  }
}

/** What a reducer does with the values of one place (the scalar, one key, one index); NaN is already left out. */
type ReduceValues = (values: readonly Json[]) => Json;

function reducerOf(name: string, epochsMin: number, reduceValues: ReduceValues): Reducer {
  return { name, epochsMin, reduce: (scores) => reduceByShape(scores, reduceValues) };
}

function reduceByShape(scores: readonly ScoreLike[], reduceValues: ReduceValues): ReducedScore {
  const scored = scores.filter((score) => !isUnscored(score.value));
  const first = scored[0];
  if (first === undefined) return { score: combined(Number.NaN, scores) };
  const values = scored.map((score) => score.value);
  switch (shapeOf(first.value)) {
    case 'record':
      return reduceRecords(scores, values, reduceValues);
    case 'list':
      return reduceLists(scores, values, reduceValues);
    default:
      return { score: combined(reduceOrNaN(values, reduceValues), scores) };
  }
}

function reduceRecords(
  scores: readonly ScoreLike[],
  values: readonly Json[],
  reduceValues: ReduceValues,
): ReducedScore {
  const records = values.filter(isJsonObject);
  if (records.length < values.length) return unreducible(scores, 'some epochs gave a record, others did not');
  const keys = Object.keys(records[0] ?? {});
  if (records.some((record) => !sameKeys(record, keys))) {
    return unreducible(scores, 'the records of its epochs have different keys');
  }
  const reduced: [string, Json][] = keys.map((key) => [
    key,
    reduceOrNaN(
      records.map((record) => record[key] ?? null),
      reduceValues,
    ),
  ]);
  return { score: combined(Object.fromEntries(reduced), scores) };
}

function reduceLists(
  scores: readonly ScoreLike[],
  values: readonly Json[],
  reduceValues: ReduceValues,
): ReducedScore {
  const lists = values.filter(isJsonArray);
  if (lists.length < values.length) return unreducible(scores, 'some epochs gave a list, others did not');
  const length = lists[0]?.length ?? 0;
  if (lists.some((list) => list.length !== length)) {
    return unreducible(scores, 'the lists of its epochs have different lengths');
  }
  const reduced = Array.from({ length }, (_, index) =>
    reduceOrNaN(
      lists.map((list) => list[index] ?? null),
      reduceValues,
    ),
  );
  return { score: combined(reduced, scores) };
}

function collect(scores: readonly ScoreLike[]): ReducedScore {
  const values = scores.map((score) => score.value).filter((value) => !isUnscored(value));
  if (values.length === 0) return { score: combined(Number.NaN, scores) };
  if (values.some((value) => shapeOf(value) !== 'scalar')) {
    return unreducible(scores, 'collect takes plain values, not records or lists');
  }
  return { score: combined(values, scores) };
}

function reduceOrNaN(values: readonly Json[], reduceValues: ReduceValues): Json {
  const kept = values.filter((value) => !isNaNValue(value));
  return kept.length === 0 ? Number.NaN : reduceValues(kept);
}

function onFloats(statistic: (floats: readonly number[]) => number): ReduceValues {
  return (values) => statistic(values.map(floatOf));
}

function floatOf(value: Json): number {
  return toFloat(value).float;
}

function countCorrect(floats: readonly number[]): number {
  return floats.filter((float) => float >= 1).length;
}

/** The chance that at least one of k tries drawn from these is correct: 1 − C(n−c, k)/C(n, k). */
function passAt(total: number, correct: number, k: number): number {
  if (total < k) return Number.NaN;
  if (total - correct < k) return 1;
  let failing = 1;
  for (let i = total - correct + 1; i <= total; i++) failing *= 1 - k / i;
  return 1 - failing;
}

/** The chance that all of k tries drawn from these are correct: C(c, k)/C(n, k). */
function passAll(total: number, correct: number, k: number): number {
  if (total < k) return Number.NaN;
  const all = combinations(total, k);
  if (all <= Number.MAX_SAFE_INTEGER) return combinations(correct, k) / all;
  let share = 1;
  for (let i = 0; i < k; i++) share *= Math.max(correct - i, 0) / (total - i);
  return share;
}

/** C(n, k): exact as long as it is a safe integer, since each partial product is a binomial coefficient too. */
function combinations(n: number, k: number): number {
  let result = 1;
  for (let i = 0; i < k; i++) result = (result * Math.max(n - i, 0)) / (i + 1);
  return result;
}

/** The value given most often; between equals the one given first. 1 and true are one value, as in Python. */
function mostCommon(values: readonly Json[]): Json {
  const counts = new Map<Json, { readonly value: Json; count: number }>();
  for (const value of values) {
    const key = typeof value === 'boolean' ? Number(value) : value;
    const entry = counts.get(key) ?? { value, count: 0 };
    entry.count++;
    counts.set(key, entry);
  }
  let best: { readonly value: Json; readonly count: number } = { value: Number.NaN, count: 0 };
  for (const entry of counts.values()) if (entry.count > best.count) best = entry;
  return best.value;
}

/** The greatest value itself (a letter stays a letter); between equals the first. */
function greatest(values: readonly Json[]): Json {
  return values.reduce((best, value) => (floatOf(value) > floatOf(best) ? value : best));
}

function unreducible(scores: readonly ScoreLike[], problem: string): ReducedScore {
  return { score: combined(Number.NaN, scores), problem };
}

/** Answer and explanation stay only where all epochs agree; metadata is that of the first. */
function combined(value: Json, scores: readonly ScoreLike[]): ScoreLike {
  const first = scores[0];
  const answer = common(scores.map((score) => score.answer ?? undefined));
  const explanation = common(scores.map((score) => score.explanation ?? undefined));
  const metadata: JsonObject | undefined = first?.metadata ?? undefined;
  return {
    value,
    ...definedOf({ answer, explanation, metadata }),
  };
}

function common(texts: readonly (string | undefined)[]): string | undefined {
  return texts.every((text) => text === texts[0]) ? texts[0] : undefined;
}

function sameKeys(record: JsonObject, keys: readonly string[]): boolean {
  return Object.keys(record).length === keys.length && keys.every((key) => Object.hasOwn(record, key));
}
