import { ActionableError, type JsonObject, messageOf } from '../base/index.ts';
import { type ExitCode, exitCodeOf } from './exit-code.ts';
import { wrapWords } from './table.ts';
import type { Terminal } from './terminal.ts';

const REPORT_HINT = 'This is a bug in Holdfast; please report it with the lines above.';

/** Says what went wrong, once, in the form that was asked for. */
export function reportError(
  error: unknown,
  terminal: Terminal,
  flags: { readonly json?: boolean; readonly verbose?: boolean; readonly exitCode?: ExitCode },
): ExitCode {
  const exitCode = flags.exitCode ?? exitCodeOf(error);
  if (flags.json) terminal.json({ exitCode, error: errorJson(error) });
  terminal.note(errorText(error, terminal, { isVerbose: flags.verbose ?? false }));
  return exitCode;
}

/** `error  <message>` and the next step below it; for our own bugs the stack. */
export function errorText(
  error: unknown,
  terminal: Terminal,
  { isVerbose, about }: { readonly isVerbose: boolean; readonly about?: string },
): string {
  const { bad, dim, bold } = terminal.noteStyle;
  if (!(error instanceof ActionableError)) {
    const stack = error instanceof Error ? error.stack : String(error);
    return `${about === undefined ? '' : `${about}: `}${stack}\n${bold(REPORT_HINT)}`;
  }
  const wrap = (text: string) => (terminal.isLive ? wrapWords(text, terminal.columns - 7, 7) : text);
  const message = about === undefined ? error.message : `${about}: ${error.message}`;
  const lines = [`${bad('error')}  ${wrap(message)}`, `       ${dim(wrap(error.hint))}`];
  if (isVerbose)
    lines.push(`       ${dim(error.code)}`, ...causes(error).map((text) => `       ${dim(text)}`));
  return lines.join('\n');
}

export function errorJson(error: unknown): JsonObject {
  if (!(error instanceof ActionableError))
    return { code: 'E_INTERNAL', message: messageOf(error), hint: REPORT_HINT };
  const { code, message, hint, retryable } = error;
  return { code, message, hint, retryable };
}

function causes(error: Error): string[] {
  const found: string[] = [];
  for (let at: unknown = error.cause; at !== undefined && found.length < 8; ) {
    found.push(`caused by: ${messageOf(at)}`);
    at = at instanceof Error ? at.cause : undefined;
  }
  return found;
}
