import { ActionableError, assert } from '../base/index.ts';
import type { StreamedProcess } from '../process/index.ts';
import type { Git } from './git.ts';
import { gitFailure } from './git-errors.ts';
import { damagedObject, hashFor, isObjectId, type ObjectId } from './object-id.ts';
import { ObjectMemory } from './object-memory.ts';

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
  readonly question: string;
  readonly wantsBytes: boolean;
  readonly resolve: (found: GitObject | ObjectInfo | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const LINE_FEED = 0x0a;

/**
 * One long-lived `git cat-file --batch-command`: as many questions as one likes, answered in their order, in one process. It sees what others
 * publish meanwhile. A process that dies of a damaged object costs the question that it died of: the others are asked again.
 */
export class CatFile implements AsyncDisposable {
  readonly #git: Git;
  readonly #memory = new ObjectMemory();
  #talk: Talk | undefined;
  #isClosed = false;

  constructor(git: Git) {
    this.#git = git;
  }

  /** An object by its id, or by any name that git knows; undefined when there is none. */
  async object(name: string): Promise<GitObject | undefined> {
    const known = isObjectId(name) ? this.#memory.get(name) : undefined;
    if (known) return known;
    const found = (await this.#ask(`contents ${name}\n`, true)) as GitObject | undefined;
    if (found) this.#memory.put(found);
    return found;
  }

  async info(name: string): Promise<ObjectInfo | undefined> {
    return (await this.#ask(`info ${name}\n`, false)) as ObjectInfo | undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#talk?.[Symbol.asyncDispose]();
  }

  #ask(question: string, wantsBytes: boolean): Promise<GitObject | ObjectInfo | undefined> {
    assert(!question.slice(0, -1).includes('\n'), 'a question is one line');
    return new Promise((resolve, reject) => this.#put({ question, wantsBytes, resolve, reject }));
  }

  #put(waiting: Waiting): void {
    this.#talk ??= new Talk(this.#git, (end) => this.#goOn(end));
    this.#talk.put(waiting);
  }

  #goOn({ error, left, wasTold }: TalkEnd): void {
    this.#talk = undefined;
    if (!wasTold) left[0]?.reject(error);
    for (const one of wasTold ? left : left.slice(1)) {
      if (this.#isClosed) one.reject(error);
      else this.#put(one);
    }
  }
}

interface TalkEnd {
  readonly error: unknown;
  /** Who was not answered. Unless that was told already, the process died of the first of them. */
  readonly left: readonly Waiting[];
  readonly wasTold: boolean;
}

/** One process, from its first question to its end. Whoever is not answered then is handed back. */
class Talk implements AsyncDisposable {
  readonly #questions = new Questions();
  readonly #waiting: Waiting[] = [];
  readonly #process: Promise<StreamedProcess>;
  readonly #onEnd: (end: TalkEnd) => void;
  /** The last answer was damaged: git gives all of it, and then dies of it. */
  #wasTold = false;

  constructor(git: Git, onEnd: (end: TalkEnd) => void) {
    this.#onEnd = onEnd;
    const args = ['cat-file', '--batch-command'];
    this.#process = git.start(args, { stdin: this.#questions });
    this.#process
      .then(async (process) => {
        await this.#listen(process);
        // Nobody reads them any more: whoever feeds them to the process must not wait for the next one.
        this.#questions.end();
        const { exitCode, stderr } = await process.end;
        throw gitFailure({ exitCode: exitCode ?? -1, stderr, args, dir: git.dir });
      })
      .catch((error: unknown) =>
        this.#onEnd({ error, left: this.#waiting.splice(0), wasTold: this.#wasTold }),
      );
  }

  put(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#questions.push(waiting.question);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#questions.end();
    // That it could not be started was told to whoever asked.
    const process = await this.#process.catch(() => undefined);
    // It ends by itself when there is nothing more to ask, and then nobody has to look for what it may have left.
    await process?.end.catch(() => undefined);
    await process?.[Symbol.asyncDispose]();
  }

  async #listen(process: StreamedProcess): Promise<void> {
    const answers = new Answers();
    for await (const chunk of process.stdout) {
      answers.push(chunk);
      for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
        const answer = answers.take(first.wantsBytes);
        if (!answer) break;
        this.#waiting.shift();
        const { found } = answer;
        this.#wasTold = found !== undefined && 'bytes' in found && !isWhole(found);
        if (found && this.#wasTold) first.reject(damagedObject(found.id));
        else first.resolve(found);
      }
    }
  }
}

/** Git gives what it finds, also where that is damaged: an object is what its name says, or it is nothing. */
function isWhole({ id, type, bytes }: GitObject): boolean {
  const hash = hashFor(id, { type, sizeBytes: bytes.length });
  return hash.update(bytes).digest('hex') === id;
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
