import { parse as parseCsv } from 'csv-parse/sync';
import { isJsonArray, isJsonObject, type Json, JsonSyntaxError, parseJson } from '../base/index.ts';
import { csvCutter, jsonListCutter, lineCutter } from './cutters.ts';
import { type FileFormat, RecordProblem } from './file-store.ts';

/** The format that a file's name promises; undefined for any other ending, and for YAML, which is read whole. */
export function formatOf(path: string): FileFormat | undefined {
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  switch (ending) {
    case 'jsonl':
    case 'ndjson':
      return jsonLines();
    case 'json':
      return jsonList();
    case 'csv':
      return csv(',');
    case 'tsv':
      return csv('\t');
    default:
      return undefined;
  }
}

function jsonLines(): FileFormat {
  return {
    cutter: lineCutter(),
    read: (text) => (text.trim() === '' ? undefined : parseJson(text)),
  };
}

function jsonList(): FileFormat {
  let isInside = false;
  return {
    cutter: jsonListCutter(),
    read(record) {
      const text = record.trim();
      if (text === '') return undefined;
      if (!isInside && !text.startsWith('['))
        throw new RecordProblem('the file must hold a list of rows, [ … ]');
      isInside = true;
      return text === '[]' ? undefined : parseJson(listItem(text));
    },
    startOf: (record) => /^\s*\[?/.exec(record)?.[0].length ?? 0,
  };
}

/** A record of a list without what separates it from others: `[{…},` → `{…}`. */
function listItem(text: string): string {
  return /^\[?([\s\S]*)[,\]]$/.exec(text)?.[1] ?? text;
}

/** The first record names the columns. Empty fields are absent. */
function csv(delimiter: ',' | '\t'): FileFormat {
  let columns: readonly string[] | undefined;
  return {
    cutter: csvCutter(delimiter.charCodeAt(0)),
    read(text) {
      if (text.trim() === '') return undefined;
      const fields = csvFields(text, delimiter);
      if (columns === undefined) {
        columns = fields.map((name) => name.trim());
        return undefined;
      }
      if (fields.length !== columns.length) {
        throw new RecordProblem(
          `the row has ${fields.length} fields, and the first line names ${columns.length}`,
        );
      }
      return csvRow(columns, fields);
    },
  };
}

function csvFields(text: string, delimiter: string): string[] {
  try {
    const records = parseCsv(text, { delimiter, relax_column_count: true, relax_quotes: true }) as string[][];
    return records[0] ?? [];
  } catch (error) {
    // The parser names its errors by codes that begin so; anything else is not about the text.
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (typeof code === 'string' && code.startsWith('CSV_'))
      throw new RecordProblem(`not valid CSV (${code})`);
    throw error;
  }
}

function csvRow(columns: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [index, column] of columns.entries()) {
    const field = fields[index];
    if (column !== '' && field !== undefined && field !== '') row[column] = field;
  }
  return row;
}

/** Columns of a CSV file are texts; the choices and the metadata of a row are more than that. */
export function readTableFields(row: unknown): unknown {
  if (typeof row !== 'object' || row === null) return row;
  const { choices, metadata, ...rest } = row as Readonly<Record<string, unknown>>;
  return {
    ...rest,
    ...(typeof choices === 'string' && { choices: readChoices(choices) }),
    ...(typeof metadata === 'string' && { metadata: readMetadata(metadata) }),
  };
}

/** A JSON list, or texts separated by `|`. */
function readChoices(text: string): unknown {
  if (!text.trimStart().startsWith('[')) return text.split('|').map((choice) => choice.trim());
  const value = fieldJson('choices', text);
  return isJsonArray(value) ? value : text;
}

function readMetadata(text: string): unknown {
  const value = fieldJson('metadata', text);
  if (isJsonObject(value)) return value;
  throw new RecordProblem('"metadata" must be a JSON object');
}

/** A field is JSON of its own: where in it the trouble is says nothing about the file. */
function fieldJson(column: string, text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new RecordProblem(
      `"${column}" is not valid JSON: expected ${error.expected} at "${text.slice(error.offset, error.offset + 20)}"`,
    );
  }
}
