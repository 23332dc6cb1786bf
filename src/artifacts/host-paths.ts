/** A path that ends here is another one: `/home/ann` is not in `/home/anna`. */
const NAME_BYTE = /[A-Za-z0-9_.~-]/;

/**
 * Looks for paths of this machine in the bytes of a file [ART-4]: what holds one means something else, or nothing, elsewhere.
 * Paths of a single name, such as `/root`, are too common in other meanings and are not looked for.
 */
export class HostPaths {
  readonly #needles: readonly Buffer[];
  readonly #overlap: number;

  constructor(paths: Iterable<string>) {
    const texts = [...paths].filter((path) => path.split(/[\\/]/).filter(Boolean).length >= 2);
    const written = texts.map((path) => path.replace(/[\\/]+$/, '')).flatMap(spellings);
    this.#needles = [...new Set(written)].map((text) => Buffer.from(text));
    this.#overlap = Math.max(0, ...this.#needles.map((needle) => needle.length + 1));
  }

  /** For one file: gives the first path that was found, chunk by chunk; those that lie across two chunks are found too. */
  search(): (chunk: Uint8Array, isLast: boolean) => string | undefined {
    let before = Buffer.alloc(0);
    return (chunk, isLast) => {
      const bytes = Buffer.concat([before, chunk]);
      before = bytes.subarray(Math.max(0, bytes.length - this.#overlap));
      for (const needle of this.#needles) if (holds(bytes, needle, isLast)) return needle.toString();
      return undefined;
    };
  }
}

/** In JSON and in URLs a path may be written in other ways. */
function spellings(path: string): string[] {
  const slashes = path.replaceAll('\\', '/');
  return [path, slashes, JSON.stringify(path).slice(1, -1), encodeURI(slashes)];
}

function holds(bytes: Buffer, needle: Buffer, isLast: boolean): boolean {
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) {
    const next = bytes[at + needle.length];
    // At the very end of what is here, the next chunk tells.
    if (next === undefined ? isLast : !NAME_BYTE.test(String.fromCharCode(next))) return true;
  }
  return false;
}
