import { Console } from 'node:console';
import { Writable } from 'node:stream';

/**
 * What evals write with `console` becomes notes: it neither breaks the live screen nor gets into the JSON document on
 * stdout. Gives back a function that ends it.
 */
export function captureConsole(onLine: (line: string) => void): () => void {
  const before: unknown = Reflect.get(globalThis, 'console');
  const lines = new LineStream(onLine);
  Reflect.set(globalThis, 'console', new Console(lines));
  return () => {
    lines.end();
    Reflect.set(globalThis, 'console', before);
  };
}

class LineStream extends Writable {
  readonly #onLine: (line: string) => void;
  #rest = '';

  constructor(onLine: (line: string) => void) {
    super({ decodeStrings: false });
    this.#onLine = onLine;
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    const lines = (this.#rest + chunk.toString()).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#onLine(line);
    done();
  }

  override _final(done: () => void): void {
    if (this.#rest !== '') this.#onLine(this.#rest);
    done();
  }
}
