import { ActionableError, assert } from '../base/index.ts';
import type { StreamedProcess } from '../process/index.ts';
import type { Git } from './git.ts';
import { gitFailure } from './git-errors.ts';
import type { ObjectId } from './object-id.ts';

export interface GitObject {
  readonly id: ObjectId;
  readonly type: string;
  readonly bytes: Buffer;
}

export interface ObjectInfo {
  readonly id: ObjectId;
  readonly type: string;
  readonly sizeBytes: number;
}

interface Waiting {
  readonly wantsBytes: boolean;
  readonly resolve: (found: GitObject | ObjectInfo | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const LINE_FEED = 0x0a;

/**
 * One long-lived `git cat-file --batch-command`: as many questions as one likes, answered in their order, in one process.
 * It sees what others publish meanwhile.
 */
export class CatFile implements AsyncDisposable {
  readonly #git: Git;
  readonly #questions = new Questions();
  readonly #waiting: Waiting[] = [];
  #process: Promise<StreamedProcess> | undefined;
  #failure: unknown;

  constructor(git: Git) {
    this.#git = git;
  }

  /** An object by its id, or by any name that git knows; undefined when there is none. */
  async object(name: string): Promise<GitObject | undefined> {
    return (await this.#ask(`contents ${name}\n`, true)) as GitObject | undefined;
  }

  async info(name: string): Promise<ObjectInfo | undefined> {
    return (await this.#ask(`info ${name}\n`, false)) as ObjectInfo | undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#questions.end();
    const process = await this.#process?.catch(() => undefined);
    // It ends by itself when there is nothing more to ask, and then nobody has to look for what it may have left.
    await process?.end.catch(() => undefined);
    await process?.[Symbol.asyncDispose]();
  }

  #ask(question: string, wantsBytes: boolean): Promise<GitObject | ObjectInfo | undefined> {
    assert(!question.slice(0, -1).includes('\n'), 'a question is one line');
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#process ??= this.#start();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ wantsBytes, resolve, reject });
      this.#questions.push(question);
    });
  }

  async #start(): Promise<StreamedProcess> {
    const args = ['cat-file', '--batch-command'];
    try {
      const process = await this.#git.start(args, { stdin: this.#questions });
      void this.#listen(process).then(
        async () => {
          const { exitCode, stderr } = await process.end;
          this.#fail(gitFailure({ exitCode: exitCode ?? -1, stderr, args, dir: this.#git.dir }));
        },
        (error: unknown) => this.#fail(error),
      );
      return process;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #fail(error: unknown): void {
    this.#failure = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  async #listen(process: StreamedProcess): Promise<void> {
    const answers = new Answers();
    for await (const chunk of process.stdout) {
      answers.push(chunk);
      for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
        const answer = answers.take(first.wantsBytes);
        if (!answer) break;
        this.#waiting.shift();
        first.resolve(answer.found);
      }
    }
  }
}

/** What is asked, as it comes. */
class Questions implements AsyncIterable<Uint8Array> {
  #texts: string[] = [];
  #isOver = false;
  #wake: () => void = () => undefined;

  push(text: string): void {
    this.#texts.push(text);
    this.#wake();
  }

  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (!this.#isOver) {
      if (this.#texts.length > 0) yield Buffer.from(this.#texts.splice(0).join(''), 'utf8');
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

/** Cuts the stream of answers: `<id> <type> <size>`, and with contents that many bytes and a line feed. */
class Answers {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #header: ObjectInfo | undefined;

  push(chunk: Uint8Array): void {
    this.#chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    this.#bytes += chunk.length;
  }

  take(wantsBytes: boolean): { readonly found: GitObject | ObjectInfo | undefined } | undefined {
    if (!this.#header) {
      const line = this.#takeLine();
      if (line === undefined) return undefined;
      const header = parseHeader(line);
      if (!header || !wantsBytes) return { found: header };
      this.#header = header;
    }
    const { id, type, sizeBytes } = this.#header;
    if (this.#bytes < sizeBytes + 1) return undefined;
    const bytes = this.#takeBytes(sizeBytes + 1).subarray(0, sizeBytes);
    this.#header = undefined;
    return { found: { id, type, bytes } };
  }

  #takeLine(): string | undefined {
    let before = 0;
    for (const chunk of this.#chunks) {
      const at = chunk.indexOf(LINE_FEED);
      if (at >= 0) return this.#takeBytes(before + at + 1).toString('utf8', 0, before + at);
      before += chunk.length;
    }
    return undefined;
  }

  #takeBytes(count: number): Buffer {
    const [first] = this.#chunks;
    this.#bytes -= count;
    if (first && first.length >= count) {
      if (first.length === count) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(count);
      return first.subarray(0, count);
    }
    const all = Buffer.concat(this.#chunks);
    this.#chunks = all.length > count ? [all.subarray(count)] : [];
    return all.subarray(0, count);
  }
}

/** `<name> missing` and `<name> ambiguous` are answers as well. */
function parseHeader(line: string): ObjectInfo | undefined {
  const found = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line);
  if (found) return { id: found[1] as ObjectId, type: String(found[2]), sizeBytes: Number(found[3]) };
  if (line.endsWith(' missing')) return undefined;
  throw new ActionableError({
    code: 'E_GIT',
    message: `"git cat-file" answered with "${line.slice(0, 200)}".`,
    hint: 'Holdfast needs git 2.36 or newer.',
  });
}
