/**
 * Kinds of error (docs/errors.md):
 * - ActionableError: something outside went wrong and a person can act on it;
 * - DamageError: an ActionableError about stored bytes that are not what they should be; nothing was changed;
 * - NotKeptError: an ActionableError about stored bytes that are not here, and nothing is wrong with that;
 * - InvariantError: our own bug. It is never caught below `cli/`.
 */
export type ErrorCode = `E_${string}`;

export interface ActionableOptions {
  readonly code: ErrorCode;
  /** What happened, to which thing, in one sentence. */
  readonly message: string;
  /** What the person can do next, in one sentence. */
  readonly hint: string;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

export class ActionableError extends Error {
  override readonly name: string = 'ActionableError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly retryable: boolean;

  constructor(options: ActionableOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.hint = options.hint;
    this.retryable = options.retryable ?? false;
  }
}

/** Bad words on the command line or in an eval file. The CLI exits with 2. */
export class UsageError extends ActionableError {
  override readonly name = 'UsageError';
}

/** Stored bytes are damaged. The CLI exits with 3. */
export class DamageError extends ActionableError {
  override readonly name = 'DamageError';
}

/** Bytes that are not to be had here: left out by a setting, dropped by a rule, or kept elsewhere. Whoever can do without them goes on. */
export class NotKeptError extends ActionableError {
  override readonly name = 'NotKeptError';
}

/** Our own bug: the message says which expectation broke. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}

/** The errno name of a system error (`ENOENT`), or undefined for any other value. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code: unknown = Reflect.get(error, 'code');
  return typeof code === 'string' ? code : undefined;
}

/** A one-line description of anything that can be thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  try {
    return String(error);
  } catch {
    return 'something that cannot be shown'; // Anything can be thrown, also what has no text form.
  }
}
