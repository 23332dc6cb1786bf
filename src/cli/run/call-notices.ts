import type { Clock } from '../../base/index.ts';
import type { FailedTry } from '../../targets/index.ts';
import { formatDuration } from '../quantities.ts';
import { oneLine } from '../table.ts';

/** How many failures of one kind are each told at once, before they are told together. */
const TOLD_AT_ONCE = 3;
const TOGETHER_MS = 10_000;

/**
 * Sentences about calls that failed: the first ones at once, whole, and later ones of the same kind together every ten
 * seconds, so that a server that is away does not fill the screen.
 */
export class CallNotices {
  readonly #clock: Clock;
  readonly #kinds = new Map<string, { told: number; untold: number; atMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What to say now; undefined: nothing yet. */
  sentence(failed: FailedTry): string | undefined {
    const reason = oneLine(failed.reason);
    const kind = `${failed.model} ${reason}`;
    const nowMs = this.#clock.monotonicMs();
    const known = this.#kinds.get(kind) ?? { told: 0, untold: 0, atMs: nowMs };
    this.#kinds.set(kind, known);
    if (known.told >= TOLD_AT_ONCE && nowMs - known.atMs < TOGETHER_MS) {
      known.untold++;
      return undefined;
    }
    const more = known.untold > 0 ? ` (and ${known.untold} more like it)` : '';
    Object.assign(known, { told: known.told + 1, untold: 0, atMs: nowMs });
    return `call to ${failed.model} failed: ${reason} – ${tryText(failed)}${more}`;
  }
}

function tryText({ tries, triesMax, nextMs }: FailedTry): string {
  if (triesMax === undefined) return `try ${tries}, the next is up to the code that called`;
  const next = nextMs === undefined ? 'no more tries' : `next in ${formatDuration(nextMs)}`;
  return `try ${tries} of ${triesMax}, ${next}`;
}
