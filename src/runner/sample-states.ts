import type { SampleCounts } from './account.ts';
import type { Plan, PlannedSample } from './plan.ts';

/** How a sample came to its end in this session; a sample has at most one of these. */
const KINDS = ['none', 'kept', 'reused', 'rescored', 'replayed', 'rerun', 'fresh'] as const;
type Kind = (typeof KINDS)[number];
/** How a sample that was worked on came to its end. */
export type EndKind = 'rescored' | 'replayed' | 'rerun' | 'fresh';
const ERRORED = 0x10;

/**
 * What is known of each sample of the plan, in a byte each. Counting is a set: whatever is said of a sample twice, or of
 * one that is not planned, does not count again.
 */
export class SampleStates {
  readonly #plan: Plan;
  readonly #states: Uint8Array;

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#states = new Uint8Array(plan.size);
  }

  /** False when the sample is not planned, or something was said of it already. */
  mark(name: string, kind: 'kept' | 'reused'): boolean {
    const position = this.#plan.positionOf(name);
    if (position === undefined || this.#states[position] !== 0) return false;
    this.#states[position] = KINDS.indexOf(kind);
    return true;
  }

  /** The last end counts: a sample that failed and was then run again is not failed. */
  markEnd({ position }: PlannedSample, kind: EndKind, status: 'completed' | 'errored'): void {
    this.#states[position] = KINDS.indexOf(kind) | (status === 'errored' ? ERRORED : 0);
  }

  get kept(): number {
    return this.#count('kept');
  }

  get reused(): number {
    return this.#count('reused');
  }

  /** `isCompleted`: whether a sample is really there, in the log or in a journal. */
  counts(isCompleted: (name: string) => boolean): SampleCounts {
    const counts = {
      kept: 0,
      reused: 0,
      rescored: 0,
      replayed: 0,
      rerun: 0,
      fresh: 0,
      errored: 0,
      remaining: 0,
      lost: 0,
    };
    for (const [position, state] of this.#states.entries()) {
      const kind = KINDS[state & ~ERRORED] ?? 'none';
      if (kind === 'none') {
        counts.remaining++;
        continue;
      }
      counts[kind]++;
      if (state & ERRORED) counts.errored++;
      else if (!isCompleted(this.#plan.nameAt(position))) counts.lost++;
    }
    return { planned: this.#states.length, ...counts };
  }

  /**
   * The same over an earlier attempt as well: what that one did counts where this one found it done, and what is not there
   * now is left, whatever was said before.
   */
  after(earlier: SampleStates): SampleStates {
    const both = new SampleStates(this.#plan);
    for (const [position, state] of this.#states.entries()) {
      const isFound = state === KINDS.indexOf('kept') || state === KINDS.indexOf('reused');
      const before = isFound ? earlier.#kindOf(this.#plan.nameAt(position)) : 'none';
      both.#states[position] = before === 'none' ? state : KINDS.indexOf(before);
    }
    return both;
  }

  #kindOf(name: string): Kind {
    const position = this.#plan.positionOf(name);
    const state = position === undefined ? 0 : (this.#states[position] ?? 0);
    return KINDS[state & ~ERRORED] ?? 'none';
  }

  #count(kind: Kind): number {
    const wanted = KINDS.indexOf(kind);
    let count = 0;
    for (const state of this.#states) if ((state & ~ERRORED) === wanted) count++;
    return count;
  }
}
