/** Rows as users give them, checked. */

import { z } from 'zod';
import { type Json, type JsonObject, toJson } from '../base/index.ts';
import { type Problem, problemSentence, problemsOf } from './check-definition.ts';
import type { Row, RowFilter, SampleRow } from './eval.ts';
import { isPlainObject, plainObject } from './plain-checks.ts';
import { kindOf, must, strictObject } from './strict-object.ts';
import { readPath, textOf } from './template.ts';

const ID_CHARS_MAX = 1_000;

const rowSchema = strictObject('a row', {
  id: must(
    `a whole number, or a text that is not blank, of at most ${ID_CHARS_MAX} characters`,
    isId,
  ).optional(),
  input: must('given', (value): value is unknown => value !== undefined && value !== null),
  target: z.unknown().optional(),
  choices: must('a list of texts', isTexts).optional(),
  metadata: plainObject.optional(),
});

/** A row, or what is wrong with it: `"choices" must be a list of texts, not null`. */
export type RowReading = { readonly row: Row } | { readonly problem: string };

/** Checks a row. Fields that are null count as absent; unknown keys are refused. */
export function readRow(value: unknown): RowReading {
  if (!isPlainObject(value)) return { problem: `the row is ${kindOf(value)}, not an object with "input"` };
  const given = Object.fromEntries(
    Object.entries(value).filter(([, item]) => item !== null && item !== undefined),
  );
  const problems = problemsOf(rowSchema, given);
  if (!isRow(given, problems)) return { problem: problemSentence(problems) };
  const { id, input, target, choices, metadata } = given;
  return {
    row: {
      ...(id !== undefined && { id }),
      input,
      ...(target !== undefined && { target }),
      ...(choices !== undefined && { choices }),
      ...(metadata !== undefined && { metadata }),
    },
  };
}

/** What has no problems is a row: the schema looks at every field of it. */
function isRow(_given: object, problems: readonly Problem[]): _given is Row {
  return problems.length === 0;
}

/** Whether a row has the wanted value (or one of the wanted values) in each field of the filter. */
export function matchesFilter(row: SampleRow, filter: RowFilter): boolean {
  const { id, input, target, choices, metadata } = row;
  const json = toJson({ id, input, target, choices, metadata });
  return Object.entries(filter).every(([path, wanted]) => {
    const found = readPath(json, path);
    const list: readonly Json[] = Array.isArray(wanted) ? wanted : [wanted];
    return found !== undefined && list.some((item) => item === found || textOf(item) === textOf(found));
  });
}

/** Rows of files may have further columns; they become metadata, and what is in `metadata` itself wins. */
export function withExtraAsMetadata(value: unknown): unknown {
  if (!isPlainObject(value)) return value;
  const { id, input, target, choices, metadata, ...extra } = value;
  if (Object.keys(extra).length === 0) return value;
  const given: JsonObject = isPlainObject(metadata) ? (toJson(metadata) as JsonObject) : {};
  const merged =
    metadata === undefined || metadata === null || isPlainObject(metadata)
      ? { ...extra, ...given }
      : metadata;
  return { id, input, target, choices, metadata: merged };
}

function isId(value: unknown): value is string | number {
  if (typeof value === 'string')
    return value.trim() !== '' && value.length <= ID_CHARS_MAX && value.isWellFormed();
  return Number.isSafeInteger(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
