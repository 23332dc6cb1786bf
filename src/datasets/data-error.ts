import { UsageError } from '../base/index.ts';

export function badRow(place: string, problem: string, hint?: string): UsageError {
  return new UsageError({
    code: 'E_DATA_ROW',
    message: /[.?]$/.test(problem) ? `${place}: ${problem}` : `${place}: ${problem}.`,
    hint:
      hint ?? 'Correct that row; a row has "input", and may have "id", "target", "choices" and "metadata".',
  });
}

export function emptyData(what: string, hint: string): UsageError {
  return new UsageError({ code: 'E_DATA_EMPTY', message: what, hint });
}

export function duplicateId(id: string | number, first: string, second: string): UsageError {
  return new UsageError({
    code: 'E_DATA_DUPLICATE_ID',
    message: `The id ${JSON.stringify(id)} is used twice: at ${first} and at ${second}.`,
    hint: 'Give each row its own id (1 and "1" count as one), or none: then ids are made from the content.',
  });
}

export function badFile(path: string, problem: string, hint: string): UsageError {
  return new UsageError({ code: 'E_DATA_FILE', message: `${path} ${problem}.`, hint });
}
