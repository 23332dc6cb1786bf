/**
 * What the loader of this process has seen: which module asked for which, and the text that was loaded. Modules that are
 * imported later join when they come. Worker threads have loaders of their own, which are not seen.
 */
export class ModuleWatch {
  readonly #texts = new Map<string, string | undefined>();
  readonly #targets = new Map<string, string>();
  /** In order, each once. */
  readonly #asked: Asked[] = [];
  readonly #askedBy = new Map<string, Set<string>>();

  /** `parent` asked for `specifier`, and got `url`. */
  noteResolved(parent: string | undefined, specifier: string, url: string): void {
    const from = parent ?? '';
    const key = edgeKey(from, specifier);
    if (this.#targets.get(key) !== url) this.#asked.push({ from, url });
    this.#targets.set(key, url);
    this.#askedBy.set(from, (this.#askedBy.get(from) ?? new Set()).add(url));
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

  /** How much was asked for so far. */
  get size(): number {
    return this.#asked.length;
  }

  /**
   * All modules that are there because of one, and itself: those that it asked for, in whatever way, those that they asked for,
   * and those of which nobody can tell who wanted them.
   */
  reachedFrom(url: string): ReadonlySet<string> {
    const reached = new Set([url]);
    for (const [from, urls] of this.#askedBy) if (this.#isUnknown(from)) addAll(urls, reached);
    for (const each of reached) addAll(this.#askedBy.get(each) ?? [], reached); // A set goes on with what is added to it.
    return reached;
  }

  /** What modules among these asked for after the first `count` times, though it may have been there already. */
  askedSince(count: number, by: ReadonlySet<string>): ReadonlySet<string> {
    const latest = this.#asked.slice(count);
    return new Set(latest.filter(({ from }) => by.has(from) || this.#isUnknown(from)).map(({ url }) => url));
  }

  /** `createRequire` takes any place for the one that asks. What a package asks for is its own. */
  #isUnknown(from: string): boolean {
    return !this.#texts.has(from) && !from.includes('/node_modules/');
  }
}

interface Asked {
  readonly from: string;
  readonly url: string;
}

function addAll(items: Iterable<string>, into: Set<string>): void {
  for (const item of items) into.add(item);
}

function edgeKey(parent: string, specifier: string): string {
  return `${parent}\n${specifier}`;
}
