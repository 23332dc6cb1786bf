/**
 * What the loader of this process has seen: which module asked for which, and the text that was loaded. Modules that are
 * imported later join when they come. Worker threads have loaders of their own, which are not seen.
 */
export class ModuleWatch {
  readonly #texts = new Map<string, string | undefined>();
  readonly #targets = new Map<string, string>();

  /** `parent` asked for `specifier`, and got `url`. */
  noteResolved(parent: string | undefined, specifier: string, url: string): void {
    this.#targets.set(edgeKey(parent ?? '', specifier), url);
  }

  /** Of CommonJS the loader does not always show the text. */
  noteLoaded(url: string, source: unknown): void {
    const isBytes = source instanceof Uint8Array;
    const text = isBytes
      ? Buffer.from(source).toString('utf8')
      : typeof source === 'string'
        ? source
        : undefined;
    this.#texts.set(url, text);
  }

  /** The text as it was loaded, if that is known: the file may have changed since. */
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
