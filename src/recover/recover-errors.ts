import { ActionableError, DamageError, UsageError } from '../base/index.ts';

/** Every way in which a recovery can be refused, each with its own code (docs/errors.md). */
export const recoverErrors = {
  nothing: (place: string) =>
    new ActionableError({
      code: 'E_RECOVER_NOTHING',
      message: `There is nothing to recover at ${place}: no log, no journal and no buffer belongs to it.`,
      hint: 'Check the name; "holdfast recover --list" shows what can be recovered.',
    }),

  hopeless: (place: string, problems: readonly { readonly message: string }[]) =>
    new DamageError({
      code: 'E_RECOVER_HOPELESS',
      message: `Nothing can be recovered from ${place}: ${problems.map(({ message }) => message).join(' ')}`,
      hint: 'Nothing was changed. If its buffer is on another machine, run the command there.',
    }),

  directory: (place: string) =>
    new ActionableError({
      code: 'E_RECOVER_DIRECTORY',
      message: `${place} is a directory, and neither a journal nor a .buffer folder.`,
      hint: 'Name one log in it; "holdfast recover --list" shows what can be recovered there.',
    }),

  finished: (place: string, status: string) =>
    new ActionableError({
      code: 'E_RECOVER_FINISHED',
      message: `${place} did not crash: it is a finished log with status "${status}".`,
      hint: 'There is nothing to recover. "holdfast log verify" checks that it is whole.',
    }),

  alive: (place: string, who: string) =>
    new ActionableError({
      code: 'E_RECOVER_ALIVE',
      message: `${place} is still being written by ${who}.`,
      hint: 'Nothing was touched. Wait until it ends, or stop it first.',
      retryable: true,
    }),

  unknown: (place: string, why: string) =>
    new ActionableError({
      code: 'E_RECOVER_UNKNOWN',
      message: `Whether ${place} is still being written cannot be told: ${why}.`,
      hint: 'Nothing was touched. If you know that its process is dead, run the command again with --force-dead.',
      retryable: true,
    }),

  changed: (place: string) =>
    new ActionableError({
      code: 'E_RECOVER_CHANGED',
      message: `${place} changed while it was being recovered, so its writer is alive.`,
      hint: 'Nothing was touched. Wait until it ends, then run the same command again.',
      retryable: true,
    }),

  superseded: (place: string, log: string) =>
    new ActionableError({
      code: 'E_RECOVER_SUPERSEDED',
      message: `${place} is not recovered: ${log} beside it is a successful log of the same task.`,
      hint: 'A later run has finished what this one began. To recover it all the same, name another directory with --output.',
    }),

  exists: (path: string) =>
    new ActionableError({
      code: 'E_RECOVER_EXISTS',
      message: `${path} exists already.`,
      hint: 'Nothing was overwritten. Name another file with --output, or move that one away.',
    }),

  verify: (path: string, what: string) =>
    new DamageError({
      code: 'E_RECOVER_VERIFY',
      message: `The recovered log ${path} did not read back as it was written (${what}).`,
      hint: 'Nothing was lost: what it was made from is untouched. Check the disk, then run the same command again.',
    }),

  incompleteMax: (value: number) =>
    new UsageError({
      code: 'E_RECOVER_INCOMPLETE_MAX',
      message: `${value} is not a limit for incomplete samples.`,
      hint: 'Give a count of at least 1, or a part of the samples from 0 to below 1.',
    }),
};
