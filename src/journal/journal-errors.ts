import { ActionableError } from '../base/index.ts';

export function journalBusy(dir: string): ActionableError {
  return new ActionableError({
    code: 'E_JOURNAL_BUSY',
    message: `The run in ${dir} is being worked on, or was let go just now, by another process.`,
    hint: 'Wait until it ends, or stop it first.',
    retryable: true,
  });
}
