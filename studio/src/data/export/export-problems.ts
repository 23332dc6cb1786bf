import { ProblemError } from '../problem-error.ts';

const AGAIN = 'Copy the whole folder of the export, or write it again with "holdfast studio export".';

export function noFile(key: string): ProblemError {
  return new ProblemError({
    code: 'E_EXPORT_FILE',
    message: `The file data/${key}.js of this export is missing, or is no part of it.`,
    hint: AGAIN,
  });
}

export function damagedFile(key: string): ProblemError {
  return new ProblemError({
    code: 'E_EXPORT_FILE',
    message: `The file data/${key}.js of this export is damaged: it cannot be unpacked.`,
    hint: AGAIN,
  });
}

export function damagedDocument(why: string): ProblemError {
  return new ProblemError({
    code: 'E_EXPORT_FILE',
    message: `The data of this export are not what its app understands: ${why}`,
    hint: AGAIN,
  });
}

export function otherVersion(version: number): ProblemError {
  return new ProblemError({
    code: 'E_EXPORT_VERSION',
    message: `The data of this export are of version ${version}, which its app does not know.`,
    hint: 'The app and the data were mixed up: write the export again with "holdfast studio export".',
  });
}

/** What nobody wrote down when the export was made. */
export function leftOut(what: string, hint: string): ProblemError {
  return new ProblemError({ code: 'E_EXPORT_LEFT_OUT', message: `This export has no ${what}.`, hint });
}

export function notHere(what: string): ProblemError {
  return leftOut(what, 'Look at the list of runs for what it has.');
}

export const READ_ONLY = 'This is an export: it can be looked at, and nothing can be written.';

export function readOnly(): ProblemError {
  return new ProblemError({
    code: 'E_EXPORT_READ_ONLY',
    message: READ_ONLY,
    hint: 'Open the runs with "holdfast studio" where they are kept.',
  });
}
