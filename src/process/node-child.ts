import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { definedOf, messageOf, shortId, systemClock, systemRandom } from '../base/index.ts';
import type { ProcessEnd, ProcessEnv } from './start-process.ts';
import {
  endTrees,
  inheritMarker,
  listenToTrees,
  MARKER_VARIABLE,
  markerBelow,
  type StartedTree,
} from './started-trees.ts';

export interface NodeChildOptions {
  /** What comes after `node`: options of its own, the script, its arguments. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: ProcessEnv;
  readonly onMessage: (message: unknown) => void;
  /** Each line that it writes to its outputs, unless they go elsewhere. */
  readonly onLine: (line: string) => void;
  /** Open files that get what it writes, instead of us. */
  readonly outputs?: { readonly stdout: number; readonly stderr: number } | undefined;
  /** It is ended when it does not answer for this long: code that never lets go of it cannot be asked to stop. */
  readonly answersWithinMs?: number | undefined;
}

/** Another Node that runs code of ours. It hears when we end, and ends as well. */
export interface NodeChild {
  readonly pid: number | undefined;
  /** Not delivered when it has ended. Anything that can be cloned. */
  send(message: unknown): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when it is gone, with all that it had started; also when it could not be started. */
  readonly ended: Promise<ChildEnd>;
}

export interface ChildEnd extends Pick<ProcessEnd, 'exitCode' | 'signal'> {
  /** It was ended because it did not answer for so long. */
  readonly unansweredMs?: number;
}

/** What both sides say to each other besides what they are asked to say. */
type OwnWords =
  | { readonly holdfast: 'ask' }
  | { readonly holdfast: 'answer' }
  | { readonly holdfast: 'started'; readonly tree: StartedTree }
  | { readonly holdfast: 'ended'; readonly marker: string };

function isOwn(message: unknown): message is OwnWords {
  return typeof message === 'object' && message !== null && 'holdfast' in message;
}

const LAST_LINES_MS = 1_000;
/** How often it is asked within the time that it has for an answer. */
const ASKED_TIMES = 10;

export function startNodeChild(options: NodeChildOptions): NodeChild {
  const { argv, cwd, env, onMessage, onLine, outputs } = options;
  const marker = markerBelow(shortId(systemRandom), env[MARKER_VARIABLE]);
  const child = spawn(process.execPath, [...argv], {
    ...{ cwd, env: { ...env, [MARKER_VARIABLE]: marker }, windowsHide: true },
    stdio: ['ignore', outputs?.stdout ?? 'pipe', outputs?.stderr ?? 'pipe', 'ipc'],
    // Keeps numbers and bytes as they are.
    serialization: 'advanced',
  });
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', onLine);
  const watch = new HangWatch(child, options.answersWithinMs);
  const trees = new Map<string, StartedTree>();
  child.on('message', (message) => {
    watch.heard();
    if (!isOwn(message)) onMessage(message);
    else if (message.holdfast === 'started') trees.set(message.tree.marker, message.tree);
    else if (message.holdfast === 'ended') trees.delete(message.marker);
  });
  const gone = goneWithOutputs(child);
  const ended = (async () => {
    const end = await gone;
    watch[Symbol.dispose]();
    // It may have been killed: what it started has the keys that it had, and nobody else to end it.
    await endTrees(trees.values(), marker).catch((error: unknown) => {
      onLine(`What it had started could not all be ended: ${messageOf(error)}`);
    });
    return { ...end, ...definedOf({ unansweredMs: watch.unansweredMs }) };
  })();
  return {
    pid: child.pid,
    send: (message) => sendTo(child, message),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

/** What was on its way to a process that ended is nobody's any more: `ended` tells. */
function sendTo(child: ChildProcess, message: unknown): void {
  if (child.connected) child.send(message as object, () => undefined);
}

function goneWithOutputs(child: ChildProcess): Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>> {
  return new Promise((resolve) => {
    child.once('error', () => resolve({ exitCode: null, signal: null }));
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
    // What it started may hold its outputs open, and is not waited for: only for what it said last.
    child.once('exit', (exitCode, signal) => {
      systemClock.after(LAST_LINES_MS, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ exitCode, signal });
      });
    });
  });
}

/** Asks a child again and again, and ends it when it answers none of so many questions: by count, since this process may have slept. */
class HangWatch {
  readonly #child: ChildProcess;
  readonly #timer: Disposable | undefined;
  readonly #withinMs: number | undefined;
  #asked = 0;
  unansweredMs: number | undefined;

  constructor(child: ChildProcess, withinMs: number | undefined) {
    this.#child = child;
    this.#withinMs = withinMs;
    if (withinMs !== undefined) this.#timer = systemClock.every(withinMs / ASKED_TIMES, () => this.#ask());
  }

  /** Whatever it says: its event loop goes round. */
  heard(): void {
    this.#asked = 0;
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
  }

  #ask(): void {
    if (this.#asked < ASKED_TIMES) {
      this.#asked++;
      sendTo(this.#child, { holdfast: 'ask' } satisfies OwnWords);
      return;
    }
    this.unansweredMs = this.#withinMs;
    this.#child.kill('SIGKILL');
  }
}

/** The other side: what a child hears of whoever started it, and how it answers. */
export interface ParentLink {
  send(message: unknown): void;
  /** One listener, which gets all that came before it as well. */
  onMessage(listener: (message: unknown) => void): void;
  /** Aborted when whoever started it is gone. */
  readonly gone: AbortSignal;
  /** Nothing more is heard: the link does not keep this process from ending. */
  close(): void;
}

/** Undefined in a process that was not started as a child. From now on it answers, and tells which programs it starts and ends. */
export function parentLink(env: ProcessEnv): ParentLink | undefined {
  if (!process.connected || !process.send) return undefined;
  const gone = new AbortController();
  process.once('disconnect', () => gone.abort(new Error('The process that started this one is gone')));
  const send = (message: unknown) => void (process.connected && process.send?.(message as object));
  const tell = (words: OwnWords) => send(words);
  inheritMarker(env[MARKER_VARIABLE]);
  listenToTrees({
    started: (tree) => tell({ holdfast: 'started', tree }),
    ended: (marker) => tell({ holdfast: 'ended', marker }),
  });
  const early: unknown[] = [];
  let hear = (message: unknown): void => void early.push(message);
  const onMessage = (message: unknown) => {
    if (isOwn(message)) tell({ holdfast: 'answer' });
    else hear(message);
  };
  process.on('message', onMessage);
  return {
    send,
    onMessage(listener) {
      hear = listener;
      for (const message of early.splice(0)) listener(message);
    },
    gone: gone.signal,
    close: () => void process.off('message', onMessage),
  };
}
