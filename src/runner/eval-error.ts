import { ActionableError, messageOf } from '../base/index.ts';
import type { EvalError } from '../log/index.ts';
import { failureText } from '../targets/index.ts';

/** An error as the log keeps it. Secrets are taken out of it first. */
export function errorOf(error: unknown, redact: (text: string) => string): EvalError {
  const message = error instanceof ActionableError ? `${error.code}: ${error.message}` : failureText(error);
  const traceback = redact(tracebackOf(error));
  return { message: redact(message), traceback, traceback_ansi: traceback };
}

function tracebackOf(error: unknown): string {
  const parts: string[] = [];
  for (let at = error, depth = 0; at !== undefined && depth < 8; depth++) {
    parts.push(at instanceof Error ? (at.stack ?? at.message) : messageOf(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return `${parts.join('\nCaused by: ')}\n`;
}
