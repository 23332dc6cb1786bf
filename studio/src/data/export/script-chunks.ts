import type { Chunks } from './documents.ts';
import { damagedFile, noFile } from './export-problems.ts';

declare global {
  /** Called by each file of data [EXP-2]. */
  var holdfastChunk: ((key: string, packed: string) => void) | undefined;
  /** What came before the app was there. */
  var holdfastEarly: readonly (readonly [string, string])[] | undefined;
}

/** So many chunks are kept, of at most a megabyte of text each. */
const KEPT_MAX = 32;

/** Loads the files of data that lie beside the page. From `file://` only scripts can be loaded, so that is what they are. */
export class ScriptChunks implements Chunks {
  /** Texts, in the order of use. */
  readonly #kept = new Map<string, Promise<string>>();
  /** What was called back, until its text is taken. */
  readonly #packed: Map<string, string>;

  constructor() {
    this.#packed = new Map(globalThis.holdfastEarly);
    globalThis.holdfastEarly = undefined;
    globalThis.holdfastChunk = (key, packed) => void this.#packed.set(key, packed);
  }

  load(key: string): Promise<string> {
    const text = this.#kept.get(key) ?? this.#load(key);
    this.#keep(key, text);
    return text;
  }

  async #load(key: string): Promise<string> {
    try {
      if (!this.#packed.has(key)) await runScript(`data/${key}.js`);
      // A script that was run has called back by now; what did not is no chunk of ours.
      const packed = this.#packed.get(key);
      if (packed === undefined) throw noFile(key);
      this.#packed.delete(key);
      return await unpacked(packed, key);
    } catch (error) {
      this.#kept.delete(key);
      throw error;
    }
  }

  #keep(key: string, text: Promise<string>): void {
    this.#kept.delete(key);
    this.#kept.set(key, text);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_MAX) break;
      this.#kept.delete(oldest);
    }
  }
}

/** Ends when it was run, or could not be. */
function runScript(src: string): Promise<void> {
  return new Promise((resolve) => {
    const script = document.createElement('script');
    script.src = src;
    script.charset = 'utf-8';
    const end = () => {
      script.remove();
      resolve();
    };
    script.addEventListener('load', end);
    script.addEventListener('error', end);
    document.head.append(script);
  });
}

async function unpacked(packed: string, key: string): Promise<string> {
  try {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return await new Response(inflated).text();
  } catch {
    // Whatever it says of it: the file is not as it was written.
    throw damagedFile(key);
  }
}
