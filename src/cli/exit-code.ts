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

/** An empty purse and a full disk are no failures: the run goes on when there is money or room again. */
const RESUMABLE: ReadonlySet<string> = new Set(['E_BUDGET_EXHAUSTED', 'E_DISK_FULL']);

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof DamageError) return EXIT.damage;
  if (error instanceof ActionableError && RESUMABLE.has(error.code)) return EXIT.interrupted;
  return EXIT.failed;
}
