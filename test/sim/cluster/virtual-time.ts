/** Far more than any run needs: whoever comes here waits for something that never is. */
const STEPS_MAX = 5_000_000;

/** Time that passes only when somebody waits for it: what happens, happens in the order of its times, and then of its being asked for. */
export class VirtualTime {
  readonly #heap: Due[] = [];
  #asked = 0;
  nowMs = 0;

  at(ms: number, work: () => void): Disposable {
    const due: Due = { atMs: Math.max(ms, this.nowMs), order: this.#asked++, work };
    push(this.#heap, due);
    return {
      [Symbol.dispose]: () => {
        due.work = undefined;
      },
    };
  }

  after(ms: number, work: () => void): Disposable {
    return this.at(this.nowMs + ms, work);
  }

  /** Lets time pass until nothing is due, the end is reached, or it is enough. */
  async run({
    untilMs,
    isEnough,
  }: {
    readonly untilMs: number;
    readonly isEnough?: () => boolean;
  }): Promise<void> {
    for (let steps = 0; ; steps++) {
      if (steps > STEPS_MAX) throw new Error(`at ${this.nowMs} ms it does not go on`);
      // One turn of the event loop runs every promise callback that is ready, and what it makes ready.
      await new Promise((resolve) => setImmediate(resolve));
      if (isEnough?.()) return;
      const next = pop(this.#heap);
      if (!next) return;
      if (next.atMs > untilMs) {
        push(this.#heap, next);
        this.nowMs = untilMs;
        return;
      }
      this.nowMs = next.atMs;
      next.work?.();
    }
  }
}

interface Due {
  readonly atMs: number;
  readonly order: number;
  work: (() => void) | undefined;
}

function isBefore(a: Due, b: Due): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function push(heap: Due[], due: Due): void {
  let at = heap.push(due) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(due, heap[parent] as Due)) break;
    heap[at] = heap[parent] as Due;
    at = parent;
  }
  heap[at] = due;
}

function pop(heap: Due[]): Due | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (!first || !last || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Due, heap[child] as Due)) child++;
    if (!isBefore(heap[child] as Due, last)) break;
    heap[at] = heap[child] as Due;
    at = child;
  }
  heap[at] = last;
  return first;
}
