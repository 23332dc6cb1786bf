import { systemClock } from '../base/index.ts';
import { type NodeChild, startNodeChild } from '../process/index.ts';
import type { EndedElsewhere, RunElsewhere, SampleElsewhere, WriterElsewhere } from '../runner/index.ts';
import type { CallLimiter } from '../targets/index.ts';
import { KeptPasses } from './asked-limiter.ts';
import { LastWords } from './last-words.ts';
import type { FromWorker, ToWorker } from './pool-messages.ts';
import { errorOf } from './told-error.ts';

export interface PoolWorkerOptions {
  /** How it is started: what comes after `node`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onLine: (line: string) => void;
  /** What calls of all workers together may use. */
  readonly limiter: CallLimiter;
}

/** How long it may take to put its journal to bed. */
const END_MS = 20_000;

/** A worker ended while it had something to do. */
export class WorkerGone extends Error {
  readonly writer: string | undefined;

  constructor(message: string, writer: string | undefined) {
    super(message);
    this.writer = writer;
  }
}

type Counted = NonNullable<WriterElsewhere['toldBefore']>[number];

interface Waiting {
  readonly item: number;
  readonly settle: (ended: EndedElsewhere) => void;
  readonly fail: (error: unknown) => void;
}

interface OpenedItem {
  readonly run: RunElsewhere;
  readonly writers: Map<string, WriterElsewhere>;
  /** What it told so far. */
  readonly told: Counted[];
  readonly closed: PromiseWithResolvers<void>;
  writer: string | undefined;
}

/** One process that runs samples, as the process that started it sees it. */
export class PoolWorker {
  readonly isAlone: boolean;
  readonly ended: Promise<void>;
  readonly #child: NodeChild;
  readonly #onSpent: (item: number, usd: number | undefined) => void;
  readonly #items = new Map<number, OpenedItem>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #lastWords = new LastWords();
  readonly #passes: KeptPasses;
  #ids = 0;
  isGone = false;

  constructor(
    { argv, cwd, env, onLine, limiter }: PoolWorkerOptions,
    about: { readonly isAlone: boolean; readonly onSpent: (item: number, usd: number | undefined) => void },
  ) {
    this.isAlone = about.isAlone;
    this.#onSpent = about.onSpent;
    this.#passes = new KeptPasses(
      (model, signal) => limiter.enter(model, signal),
      (id) => this.say({ kind: 'entered', id }),
    );
    this.#child = startNodeChild({
      ...{ argv, cwd, env },
      onMessage: (message) => this.#hear(message as FromWorker),
      onLine: (line) => {
        this.#lastWords.hear(line);
        onLine(line);
      },
    });
    this.ended = this.#child.ended.then((end) => this.#isOver(end));
  }

  get busy(): number {
    return this.#waiting.size;
  }

  say(said: ToWorker): void {
    this.#child.send(said);
  }

  async run(
    { item, run, writers }: Pick<OpenedItem, 'run' | 'writers'> & { readonly item: number },
    { planned, kept, signal }: SampleElsewhere,
    earlier: readonly string[],
  ): Promise<EndedElsewhere> {
    const id = ++this.#ids;
    const { promise, resolve: settle, reject: fail } = Promise.withResolvers<EndedElsewhere>();
    this.#waiting.set(id, { item, settle, fail });
    if (this.isGone) this.#fail('it was gone before it began');
    const abort = () => this.say({ kind: 'abort', id });
    signal.addEventListener('abort', abort);
    try {
      this.#open(item, { run, writers });
      this.say({ kind: 'run', id, item, position: planned.position, earlier, kept });
      if (signal.aborted) abort();
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(id);
    }
  }

  /** Resolves when its journal of the item is closed. */
  async close(item: number): Promise<void> {
    const opened = this.#items.get(item);
    if (!opened || this.isGone) return;
    this.say({ kind: 'close', item });
    await opened.closed.promise;
    this.#items.delete(item);
  }

  /** Resolves when it is gone. Code that never lets go of its process does not hear it. */
  async end(): Promise<void> {
    this.say({ kind: 'end' });
    using _kill = systemClock.after(END_MS, () => this.#child.kill('SIGKILL'));
    await this.ended;
  }

  #open(item: number, about: Pick<OpenedItem, 'run' | 'writers'>): void {
    if (this.#items.has(item)) return;
    const { run } = about;
    const closed = Promise.withResolvers<void>();
    this.#items.set(item, { ...about, closed, told: [], writer: undefined });
    this.say({ kind: 'open', item, run: run.run, writer: run.writer });
  }

  #hear(said: FromWorker): void {
    if (said.kind === 'opened') this.#isOpened(said.item, said.writer);
    if (said.kind === 'closed') this.#items.get(said.item)?.closed.resolve();
    if (said.kind === 'refused') this.#refuse(said.item, errorOf(said.error));
    if (said.kind === 'ended') this.#hasEnded(said);
    if (said.kind === 'failed') this.#waiting.get(said.id)?.fail(errorOf(said.error));
    if (said.kind === 'spent') this.#onSpent(said.item, said.usd);
    if (said.kind === 'enter' || said.kind === 'leave') this.#passes.hear(said);
    if (said.kind === 'note') this.#items.get(said.item)?.run.onNote(said.text);
  }

  #isOpened(item: number, writer: string): void {
    const opened = this.#items.get(item);
    if (!opened) return;
    opened.writer = writer;
    opened.writers.set(writer, { writer });
  }

  #hasEnded({ id, result }: Extract<FromWorker, { kind: 'ended' }>): void {
    const waiting = this.#waiting.get(id);
    const item = waiting && this.#items.get(waiting.item);
    item?.told.push(result.counted);
    for (const sentence of result.damage) item?.run.onDamage(sentence);
    const { outcome, counted } = result;
    waiting?.settle({ kind: 'ended', outcome, counted });
  }

  #refuse(item: number, error: unknown): void {
    for (const waiting of this.#waiting.values()) if (waiting.item === item) waiting.fail(error);
  }

  #isOver(end: Awaited<NodeChild['ended']>): void {
    this.isGone = true;
    this.#passes.leaveAll();
    this.#fail(this.#lastWords.of(this.#child.pid, end));
    for (const { closed, writer, writers, told } of this.#items.values()) {
      if (writer !== undefined) writers.set(writer, { writer, toldBefore: told });
      closed.resolve();
    }
  }

  #fail(reason: string): void {
    for (const { item, fail } of this.#waiting.values())
      fail(new WorkerGone(reason, this.#items.get(item)?.writer));
  }
}
