import { ActionableError, DamageError, type ErrorCode } from '../../base/index.ts';

/** Something of a buffer that is missing or damaged. Nothing stops for it: the account of the recovery says it. */
export interface BufferProblem {
  readonly code: ErrorCode;
  readonly message: string;
  /** The sample it concerns, if it concerns only one. */
  readonly sample?: { readonly id: string; readonly epoch: number };
}

export const bufferErrors = {
  foreign: (path: string, found: string) =>
    new DamageError({
      code: 'E_BUFFER_FOREIGN',
      message: `${path} is not a buffer database of Inspect: ${found}.`,
      hint: 'Nothing was changed. Name the log that crashed; its database is found by the name of the log.',
    }),

  emptyDatabase: (path: string) =>
    new DamageError({
      code: 'E_BUFFER_EMPTY',
      message: `${path} is empty; without its first page, what its -wal file holds cannot be read.`,
      hint: 'Nothing was changed. If there is another copy of both files, recover from that one.',
    }),

  lostDatabase: (path: string) =>
    new DamageError({
      code: 'E_BUFFER_DAMAGED',
      message: `${path} is gone; without its first page, what its -wal file holds cannot be read.`,
      hint: 'Nothing was changed. If there is another copy of both files, recover from that one.',
    }),

  onlyLog: (path: string, what: 'gone' | 'empty') =>
    new DamageError({
      code: 'E_BUFFER_DAMAGED',
      message: `${path} is ${what}. What its -wal file holds was read; whether the database held more cannot be told.`,
      hint: 'Nothing was changed. If there is another copy of both files, recover from that one.',
    }),

  damaged: (path: string, because: string, cause: unknown) =>
    new DamageError({
      code: 'E_BUFFER_DAMAGED',
      message: `${path} is damaged (${because}).`,
      hint: 'Nothing was changed. What other sources hold is recovered without it.',
      cause,
    }),

  unreadable: (path: string, because: string, cause: unknown) =>
    new ActionableError({
      code: 'E_BUFFER_UNREADABLE',
      message: `${path} cannot be read (${because}).`,
      hint: 'Check that the file and its directory may be read, and that there is room for a copy of it.',
      cause,
    }),
};
