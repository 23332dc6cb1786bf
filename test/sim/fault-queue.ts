import { assert } from '../../src/base/index.ts';

interface Placed {
  /** Only calls on such a path or key; without it, on any. */
  readonly at?: RegExp;
  /** How many matching calls pass before it strikes (default 0). */
  readonly after?: number;
}

/** Faults in waiting. Each strikes once; one that never struck means that the test did not test what it says. */
export class FaultQueue<Fault extends Placed & { readonly on: string }> implements Disposable {
  #waiting: { readonly fault: Fault; passes: number }[];

  constructor(faults: readonly Fault[]) {
    this.#waiting = faults.map((fault) => ({ fault, passes: fault.after ?? 0 }));
  }

  /** Takes the first fault that strikes at this call. */
  take(on: Fault['on'], path: string): Fault | undefined {
    for (const entry of this.#waiting) {
      const { fault } = entry;
      if (fault.on !== on || (fault.at && !fault.at.test(path))) continue;
      if (entry.passes-- > 0) continue;
      this.remove(fault);
      return fault;
    }
    return undefined;
  }

  /** Every fault that waits for such calls on such a path, without taking it. */
  waitingFor(on: Fault['on'], path: string): readonly Fault[] {
    const faults = this.#waiting.map(({ fault }) => fault);
    return faults.filter((fault) => fault.on === on && (fault.at?.test(path) ?? true));
  }

  remove(fault: Fault): void {
    this.#waiting = this.#waiting.filter((entry) => entry.fault !== fault);
  }

  assertAllStruck(): void {
    const left = this.#waiting.map(({ fault }) => JSON.stringify({ ...fault, at: fault.at?.source }));
    assert(left.length === 0, `these faults never struck: ${left.join(', ')}`);
  }

  [Symbol.dispose](): void {
    this.assertAllStruck();
  }
}
