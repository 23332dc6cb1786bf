/**
 * What the loader of this process has seen: which module asked for which, and the text that was loaded. Modules that are
 * imported later join when they come. Worker threads have loaders of their own, which are not seen.
 */
export class ModuleWatch {
  readonly #texts = new Map<string, string>();
  readonly #targets = new Map<string, string>();

  /** `parent` asked for `specifier`, and got `url`. */
  noteResolved(parent: string | undefined, specifier: string, url: string): void {
    this.#targets.set(edgeKey(parent ?? '', specifier), url);
  }

  noteLoaded(url: string, source: unknown): void {
    if (typeof source === 'string') this.#texts.set(url, source);
    else if (source instanceof Uint8Array) this.#texts.set(url, Buffer.from(source).toString('utf8'));
  }

  /** The text as it was loaded: the file may have changed since. */
  textOf(url: string): string | undefined {
    return this.#texts.get(url);
  }

  resolve(parent: string, specifier: string): string | undefined {
    return this.#targets.get(edgeKey(parent, specifier));
  }

  /** All that was loaded so far, in order. */
  get urls(): readonly string[] {
    return [...this.#texts.keys()];
  }
}

function edgeKey(parent: string, specifier: string): string {
  return `${parent}\n${specifier}`;
}
