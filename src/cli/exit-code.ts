import { ActionableError, DamageError, UsageError } from '../base/index.ts';

/** What the shell learns. Every command's help lists those it can end with. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  damage: 3,
  interrupted: 4,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof DamageError) return EXIT.damage;
  // An empty purse is no failure: the run goes on when there is money again.
  if (error instanceof ActionableError && error.code === 'E_BUDGET_EXHAUSTED') return EXIT.interrupted;
  return EXIT.failed;
}
