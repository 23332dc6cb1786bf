import type { CallLimiter, CallPass } from '../targets/index.ts';

/** What a process says to the one that keeps the limits. Giving up is leaving. */
export type AskedOfKeeper =
  | { readonly kind: 'enter'; readonly id: number; readonly model: string }
  | { readonly kind: 'leave'; readonly id: number };

/** Limits that another process keeps: it is asked before each call. */
export class AskedLimiter implements CallLimiter {
  readonly #say: (said: AskedOfKeeper) => void;
  readonly #waiting = new Map<number, () => void>();
  #ids = 0;

  constructor(say: (said: AskedOfKeeper) => void) {
    this.#say = say;
  }

  async enter(model: string, signal?: AbortSignal): Promise<CallPass> {
    signal?.throwIfAborted();
    const id = ++this.#ids;
    const entered = Promise.withResolvers<void>();
    const giveUp = () => entered.reject(signal?.reason);
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#waiting.set(id, entered.resolve);
    let isOut = true;
    const leave = () => {
      if (isOut) this.#say({ kind: 'leave', id });
      isOut = false;
    };
    try {
      this.#say({ kind: 'enter', id, model });
      await entered.promise;
      return { leave };
    } catch (error) {
      leave();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
      this.#waiting.delete(id);
    }
  }

  /** The keeper lets it in. */
  entered(id: number): void {
    this.#waiting.get(id)?.();
  }
}

/** The passes that one process has of the one that keeps the limits. */
export class KeptPasses {
  readonly #enter: (model: string, signal: AbortSignal) => Promise<CallPass>;
  readonly #onEntered: (id: number) => void;
  readonly #asked = new Map<number, { readonly stop: AbortController; pass?: CallPass }>();

  constructor(
    enter: (model: string, signal: AbortSignal) => Promise<CallPass>,
    onEntered: (id: number) => void,
  ) {
    this.#enter = enter;
    this.#onEntered = onEntered;
  }

  hear(said: AskedOfKeeper): void {
    if (said.kind === 'enter') void this.#let(said.id, said.model);
    else this.#leave(said.id);
  }

  /** The process is gone: what it had is given back. */
  leaveAll(): void {
    for (const id of [...this.#asked.keys()]) this.#leave(id);
  }

  async #let(id: number, model: string): Promise<void> {
    const asked: { readonly stop: AbortController; pass?: CallPass } = { stop: new AbortController() };
    this.#asked.set(id, asked);
    try {
      asked.pass = await this.#enter(model, asked.stop.signal);
      if (asked.stop.signal.aborted) asked.pass.leave();
      else this.#onEntered(id);
    } catch (error) {
      if (!asked.stop.signal.aborted) throw error;
    }
  }

  #leave(id: number): void {
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    asked?.stop.abort(new Error('It is not wanted any more'));
    asked?.pass?.leave();
  }
}
