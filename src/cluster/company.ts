/** Who works beside whom: many join, or one is alone. Whoever came first enters first. */
export class Company {
  readonly #waiting: { readonly isAlone: boolean; readonly enter: () => void }[] = [];
  #inside = 0;
  #isOneAlone = false;

  /** Disposed when it leaves. */
  join(): Promise<Disposable> {
    return this.#enter(false);
  }

  alone(): Promise<Disposable> {
    return this.#enter(true);
  }

  async #enter(isAlone: boolean): Promise<Disposable> {
    if (this.#waiting.length > 0 || !this.#fits(isAlone))
      await new Promise<void>((enter) => {
        this.#waiting.push({ isAlone, enter });
      });
    else this.#count(isAlone);
    return { [Symbol.dispose]: () => this.#leave() };
  }

  #leave(): void {
    this.#inside--;
    if (this.#inside === 0) this.#isOneAlone = false;
    for (let next = this.#waiting[0]; next && this.#fits(next.isAlone); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#count(next.isAlone);
      next.enter();
    }
  }

  #fits(isAlone: boolean): boolean {
    return isAlone ? this.#inside === 0 : !this.#isOneAlone;
  }

  #count(isAlone: boolean): void {
    this.#inside++;
    this.#isOneAlone = isAlone;
  }
}
