import { ActionableError, type ErrorCode, messageOf, UsageError } from '../base/index.ts';

/** An error in words that go over to another process. */
export interface ToldError {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  readonly isUsage: boolean;
  readonly retryable?: boolean;
}

export function toldError(error: unknown): ToldError {
  const isUsage = error instanceof UsageError;
  if (!(error instanceof ActionableError)) return { message: messageOf(error), isUsage };
  const { message, code, hint, retryable } = error;
  return { message, code, hint, isUsage, retryable };
}

/** The error that was told. */
export function errorOf({ message, code, hint = '', isUsage, retryable = false }: ToldError): Error {
  if (code === undefined) return new Error(message);
  const options = { code: code as ErrorCode, message, hint, retryable };
  return isUsage ? new UsageError(options) : new ActionableError(options);
}
