/** Lets only so many in at a time; the others wait in their order. */
export class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atATime: number) {
    this.#free = atATime;
  }

  /** Whoever is let in leaves by disposing what is given. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    let isOut = false;
    return {
      [Symbol.dispose]: () => {
        if (isOut) return;
        isOut = true;
        const next = this.#waiting.shift();
        if (next) next();
        else this.#free++;
      },
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        const at = this.#waiting.indexOf(enter);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', stop, { once: true });
    });
  }
}
