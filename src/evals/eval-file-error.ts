import { type ErrorCode, UsageError } from '../base/index.ts';

/** A problem in an eval file, with its place. */
export class EvalFileError extends UsageError {
  readonly file: string;
  readonly line: number;
  readonly column: number;

  constructor(
    place: FilePlace,
    problem: { readonly code: ErrorCode; readonly message: string; readonly hint: string },
  ) {
    super({ ...problem, message: `${place.file}:${place.line}:${place.column}: ${problem.message}` });
    this.file = place.file;
    this.line = place.line;
    this.column = place.column;
  }
}

export interface FilePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
