import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { type Clock, errnoOf } from '../base/index.ts';
import { type ProcessEnd, type ProcessSettings, startProcess, waitForEnd } from './start-process.ts';

export interface StreamOptions extends ProcessSettings {
  /** What the process reads; without it, its stdin is empty. It need not read all of it. */
  readonly stdin?: Uint8Array | AsyncIterable<Uint8Array>;
}

export interface StreamEnd extends ProcessEnd {
  /** The last 64 KiB of what it wrote to stderr. */
  readonly stderr: string;
}

export interface StreamedProcess extends AsyncDisposable {
  /**
   * What the process writes to stdout, as it comes and without a limit: a process that is not listened to waits. To stop
   * listening closes the pipe, of which most programs die.
   */
  readonly stdout: AsyncIterable<Uint8Array>;
  /** Resolves when all of the process is gone. Rejects only when the stdin that was given fails to be read. */
  readonly end: Promise<StreamEnd>;
}

const STDERR_BYTES_MAX = 64 * 2 ** 10;
/** All that a process wrote is there when it has ended, and takes far less than this to be read. */
const LINGER_MS = 250;

/**
 * Starts a command and gives its stdout as a stream; rejects when it cannot be started. Whoever leaves the scope before
 * the end (`await using`) ends the whole tree.
 */
export async function streamProcess(options: StreamOptions): Promise<StreamedProcess> {
  options.signal.throwIfAborted();
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  const started = await startProcess(options, [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe']);
  const { stdin, stdout, stderr } = started.child;
  const errors = stderr && tailOf(stderr);
  const fed = stdin && options.stdin ? feed(options.stdin, stdin) : Promise.resolve();
  // Whoever gave a stdin that fails wants to know, but only at the end: the process must be gone by then.
  const failure = fed.then(
    () => undefined,
    (error: unknown) => {
      left.abort(error);
      return { error };
    },
  );
  const end = waitForEnd(started, { ...options, signal }).then(async (ended): Promise<StreamEnd> => {
    const failed = await failure;
    if (failed) throw failed.error;
    const text = errors ? await lastWords(errors, options.clock) : '';
    // Whoever left the tree may hold it open for ever.
    stderr?.destroy();
    return { ...ended, aborted: options.signal.aborted, stderr: text };
  });
  // Told to whoever awaits it; nobody has to.
  end.catch(() => undefined);
  return {
    stdout: stdout ?? Readable.from([]),
    end,
    async [Symbol.asyncDispose]() {
      left.abort(new Error('nobody listens any more'));
      stdout?.destroy();
      await end.catch(() => undefined);
    },
  };
}

/** A process that ends before it has read everything is no failure of ours. */
const NOT_READ: ReadonlySet<string | undefined> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_DESTROYED',
]);

async function feed(
  bytes: Uint8Array | AsyncIterable<Uint8Array>,
  stdin: NodeJS.WritableStream,
): Promise<void> {
  try {
    await pipeline(bytes instanceof Uint8Array ? Readable.from([bytes]) : bytes, stdin);
  } catch (error) {
    if (!NOT_READ.has(errnoOf(error))) throw error;
  }
}

interface Tail {
  readonly whole: Promise<string>;
  readonly soFar: () => string;
}

/** It is read in any case: a process whose stderr is full would wait for ever. */
function tailOf(stream: Readable): Tail {
  let tail: Buffer = Buffer.alloc(0);
  const soFar = () => tail.toString('utf8');
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-STDERR_BYTES_MAX);
  });
  // A pipe that breaks ends it as well: what came before is all there is.
  return { whole: finished(stream).then(soFar, soFar), soFar };
}

/** All of it, or what there is a moment after the process has ended. */
async function lastWords({ whole, soFar }: Tail, clock: Clock): Promise<string> {
  const over = new AbortController();
  const later = clock.sleep(LINGER_MS, over.signal).then(soFar, soFar);
  const text = await Promise.race([whole, later]);
  over.abort();
  return text;
}
