import { AsyncLocalStorage } from 'node:async_hooks';

export type PrintStream = 'stdout' | 'stderr';
type Hear = (stream: PrintStream, bytes: Uint8Array) => void;
type Write = NodeJS.WriteStream['write'];

/** What code in this process prints, by the job that it prints it for, as far as Node can tell: what asynchronous work it is part of. */
export class Prints {
  readonly #jobs = new AsyncLocalStorage<Hear>();

  /** From now on; everything is printed as before as well. There is no way back: timers of an eval may outlive everything. */
  listen(streams: Readonly<Record<PrintStream, Pick<NodeJS.WriteStream, 'write'>>>): void {
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = streams[name];
      const write: Write = stream.write.bind(stream);
      const heard = (...said: Parameters<Write>) => {
        this.#hear(name, said);
        return write(...said);
      };
      stream.write = heard as Write;
    }
  }

  within<T>(hear: Hear, work: () => Promise<T>): Promise<T> {
    return this.#jobs.run(hear, work);
  }

  #hear(name: PrintStream, [chunk, encoding]: readonly unknown[]): void {
    const hear = this.#jobs.getStore();
    if (!hear) return;
    const isEncoding = typeof encoding === 'string' && Buffer.isEncoding(encoding);
    if (typeof chunk === 'string') hear(name, Buffer.from(chunk, isEncoding ? encoding : 'utf8'));
    else if (chunk instanceof Uint8Array) hear(name, chunk.slice());
  }
}

/** What was printed so far, as a text that grows. */
export class PrintedText {
  readonly name: string;
  readonly #bytesMax: number;
  readonly #chunks: Uint8Array[] = [];
  #isClosed = false;
  sizeBytes = 0;
  /** What is not kept, because it was too much. */
  cutBytes = 0;

  constructor(stream: PrintStream, bytesMax: number) {
    this.name = `printed.${stream}`;
    this.#bytesMax = bytesMax;
  }

  add(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    const kept = bytes.subarray(0, this.#bytesMax - this.sizeBytes);
    if (kept.length > 0) this.#chunks.push(kept);
    this.sizeBytes += kept.length;
    this.cutBytes += bytes.length - kept.length;
  }

  /** Nothing more is kept: timers of a job may print long after it is over, and hold on to this. */
  close(): void {
    this.#isClosed = true;
    this.#chunks.splice(0);
  }

  read({ from, length }: { readonly from: number; readonly length: number }): Uint8Array {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    if (all) this.#chunks.splice(0, this.#chunks.length, all);
    return all?.subarray(from, from + length) ?? new Uint8Array();
  }
}
