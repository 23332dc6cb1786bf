import { ActionableError, DamageError } from '../base/index.ts';

/** Every way in which a file can fail to be a log, each with its own code (docs/errors.md). */
export const logErrors = {
  notFound: (path: string) =>
    new ActionableError({
      code: 'E_LOG_NOT_FOUND',
      message: `There is no log at ${path}.`,
      hint: 'Check the path; "holdfast log list" shows the logs of a directory.',
    }),

  isNotFound: (error: unknown) => error instanceof ActionableError && error.code === 'E_LOG_NOT_FOUND',

  isDirectory: (path: string) =>
    new ActionableError({
      code: 'E_LOG_IS_DIRECTORY',
      message: `${path} is a directory, not a log.`,
      hint: 'Name one log in it; "holdfast log list" shows them.',
    }),

  empty: (path: string) =>
    new DamageError({
      code: 'E_LOG_EMPTY',
      message: `${path} is empty: a log was begun there and nothing was written.`,
      hint: 'Run the eval again; nothing in this file can be recovered.',
    }),

  foreign: (path: string, found: string) =>
    new ActionableError({
      code: 'E_LOG_FOREIGN',
      message: `${path} is not a log: ${found}.`,
      hint: 'Give a .eval or .json log, written by Holdfast or Inspect.',
    }),

  newer: (path: string, version: number) =>
    new ActionableError({
      code: 'E_LOG_NEWER',
      message: `${path} has log version ${version}, which is newer than the versions this release reads (up to 3).`,
      hint: 'Update Holdfast.',
    }),

  torn: (path: string, what: string) =>
    new DamageError({
      code: 'E_LOG_TORN',
      message: `${path} is torn: ${what}.`,
      hint: `Nothing was changed. Fetch another copy if there is one; what is whole can be saved: holdfast recover ${path}`,
    }),

  checksum: (path: string, member: string) =>
    new DamageError({
      code: 'E_LOG_CHECKSUM',
      message: `${member} in ${path} does not match its checksum.`,
      hint: savedBy(path),
    }),

  truncated: (path: string, member: string, cause?: unknown) =>
    new DamageError({
      code: 'E_LOG_MEMBER_TRUNCATED',
      message: `${member} in ${path} ends early or cannot be decompressed.`,
      hint: savedBy(path),
      cause,
    }),

  method: (path: string, member: string, method: number) =>
    new DamageError({
      code: 'E_LOG_METHOD',
      message: `${member} in ${path} is compressed with method ${method}; logs use 0 (stored), 8 (deflate) and 93 (zstd).`,
      hint: 'Write the log again with "holdfast log convert" where the tool that made it is installed.',
    }),

  utf8: (path: string, member: string) =>
    new DamageError({
      code: 'E_LOG_UTF8',
      message: `${member} in ${path} holds bytes that are not UTF-8.`,
      hint: savedBy(path),
    }),

  json: (path: string, member: string, what: string) =>
    new DamageError({
      code: 'E_LOG_JSON',
      message: `${member} in ${path} is not valid JSON: ${what}.`,
      hint: savedBy(path),
    }),

  shape: (path: string, member: string, what: string) =>
    new DamageError({
      code: 'E_LOG_SHAPE',
      message: `${member} in ${path} ${what}.`,
      hint: savedBy(path),
    }),

  tooLarge: (path: string, member: string, what: string) =>
    new ActionableError({
      code: 'E_LOG_TOO_LARGE',
      message: `${member} in ${path} is refused: ${what}.`,
      hint: 'If the log is trusted, raise the limits it is opened with; otherwise it may be a decompression bomb.',
    }),
};

function savedBy(path: string): string {
  return `Nothing was changed. "holdfast log verify" lists all damage; what is whole can be saved: holdfast recover ${path}`;
}
