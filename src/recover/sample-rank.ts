import type { MeritRank } from '../log/index.ts';

/** How Inspect words a cancellation, by a person or by a recovery, and how we word an interruption. */
const CANCELLED = /^(CancelledError|KeyboardInterrupt)\b|^The run was interrupted/;

/** What became of a sample that ended, by the words of its error. */
export function rankOf({ error }: { readonly error?: string | null }): MeritRank {
  if (error === undefined || error === null) return 'complete';
  return CANCELLED.test(error) ? 'interrupted' : 'errored';
}
