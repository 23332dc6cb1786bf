/** A door that opens once: whoever waits before it goes on then, and whoever comes later at once. */
export class Waiters {
  readonly #opened = Promise.withResolvers<void>();
  isOpen = false;

  constructor() {
    // Nobody may be waiting when it closes.
    this.#opened.promise.catch(() => undefined);
  }

  open(): void {
    this.isOpen = true;
    this.#opened.resolve();
  }

  /** It will not open any more. */
  close(): void {
    this.#opened.reject(new DOMException('It was closed.', 'AbortError'));
  }

  /** Rejects with the signal's reason. */
  wait(signal: AbortSignal): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = () => reject(signal.reason);
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      this.#opened.promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }
}
