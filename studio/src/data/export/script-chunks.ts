import type { Chunks } from './documents.ts';
import { noFile } from './export-problems.ts';

declare global {
  /** Called by each file of data [EXP-2]. */
  var holdfastChunk: ((key: string, text: string) => void) | undefined;
  /** What came before the app was there. */
  var holdfastEarly: readonly (readonly [string, string])[] | undefined;
}

/** So many chunks are kept, of at most a megabyte each. */
const KEPT_MAX = 32;

interface Waiting {
  readonly promise: Promise<string>;
  resolve(text: string): void;
  reject(error: unknown): void;
}

/** Loads the files of data that lie beside the page. From `file://` only scripts can be loaded, so that is what they are. */
export class ScriptChunks implements Chunks {
  /** In the order of use. */
  readonly #kept = new Map<string, string>();
  readonly #waiting = new Map<string, Waiting>();

  constructor() {
    for (const [key, text] of globalThis.holdfastEarly ?? []) this.#keep(key, text);
    globalThis.holdfastEarly = undefined;
    globalThis.holdfastChunk = (key, text) => {
      this.#keep(key, text);
      this.#waiting.get(key)?.resolve(text);
    };
  }

  async load(key: string): Promise<string> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#keep(key, kept);
      return kept;
    }
    const waiting = this.#waiting.get(key) ?? this.#begin(key);
    return await waiting.promise;
  }

  #begin(key: string): Waiting {
    const waiting = Promise.withResolvers<string>();
    this.#waiting.set(key, waiting);
    const script = document.createElement('script');
    script.src = `data/${key}.js`;
    script.charset = 'utf-8';
    const end = () => {
      script.remove();
      this.#waiting.delete(key);
      // A script that was loaded has called back by now; what did not is no chunk of ours.
      waiting.reject(noFile(key));
    };
    script.addEventListener('load', end);
    script.addEventListener('error', end);
    document.head.append(script);
    return waiting;
  }

  #keep(key: string, text: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, text);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
  }
}
