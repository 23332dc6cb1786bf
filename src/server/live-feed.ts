import type { LiveEvent } from './api.ts';
import type { LiveFeed } from './studio.ts';

export interface ToldEvent {
  readonly id: string;
  readonly event: LiveEvent;
}

/** So many are remembered for browsers that were away for a moment. */
const EVENTS_MAX = 1_000;

/**
 * What happened lately, for any number of listeners. Ids are `<boot>-<number>`: with another boot they mean nothing any more. Whoever is
 * further behind than what is remembered is told to ask for everything again, so a slow listener costs no memory.
 */
export class RingFeed implements LiveFeed {
  readonly #boot: string;
  readonly #max: number;
  #events: ToldEvent[] = [];
  /** The number of the last event; the first is 1. */
  #last = 0;
  #index: LiveEvent | undefined;
  readonly #waiting = new Set<() => void>();
  readonly #onListening = new Set<() => void>();
  #listeners = 0;

  constructor({ boot, max = EVENTS_MAX }: { readonly boot: string; readonly max?: number }) {
    this.#boot = boot;
    this.#max = max;
  }

  get listeners(): number {
    return this.#listeners;
  }

  /** Calls `work` whenever the first listener comes, or the last one goes. */
  onListening(work: () => void): Disposable {
    this.#onListening.add(work);
    return { [Symbol.dispose]: () => void this.#onListening.delete(work) };
  }

  tell(event: LiveEvent): void {
    this.#last++;
    this.#events.push({ id: this.#idOf(this.#last), event });
    if (this.#events.length > this.#max) this.#events.shift();
    if (event.kind === 'index') this.#index = event;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  async *after(lastId: string | undefined, signal: AbortSignal): AsyncGenerator<ToldEvent> {
    this.#count(1);
    try {
      let at = this.#last;
      if (lastId !== undefined) at = this.#numberOf(lastId) ?? -1;
      // Whoever is new learns how much of the store was read, and with it an id to go on from.
      else if (this.#index) yield { id: this.#idOf(at), event: this.#index };
      while (!signal.aborted) {
        if (at < this.#last - this.#events.length) {
          at = this.#last;
          yield { id: this.#idOf(at), event: { kind: 'reset' } };
          continue;
        }
        const next = this.#events[at - this.#last + this.#events.length];
        if (next) {
          at++;
          yield next;
        } else await this.#more(signal);
      }
    } finally {
      this.#count(-1);
    }
  }

  #idOf(number: number): string {
    return `${this.#boot}-${number}`;
  }

  /** Undefined when it is none of ours. */
  #numberOf(id: string): number | undefined {
    const cut = id.lastIndexOf('-');
    const number = Number(id.slice(cut + 1));
    const isOurs = id.slice(0, Math.max(0, cut)) === this.#boot && /^\d{1,15}$/.test(id.slice(cut + 1));
    return isOurs && number <= this.#last ? number : undefined;
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #count(by: 1 | -1): void {
    const before = this.#listeners;
    this.#listeners += by;
    if (before === 0 || this.#listeners === 0) for (const work of [...this.#onListening]) work();
  }
}
