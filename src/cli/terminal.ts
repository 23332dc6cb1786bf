import { errnoOf, type Json, stringifyJson } from '../base/index.ts';
import { withoutNaN } from './strict-json.ts';
import { createStyle, type Style, wantsColour } from './style.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a command speaks: results to stdout, everything else to stderr. */
export interface Terminal {
  readonly env: Environment;
  readonly cwd: string;
  /** Colours of stdout, and of stderr. */
  readonly style: Style;
  readonly noteStyle: Style;
  /** Columns of stdout; files and pipes have no end. */
  readonly columns: number;
  /** True when stderr is a screen that can be redrawn. */
  readonly isLive: boolean;
  readonly stderr: NodeJS.WriteStream;
  /** A line of the result. */
  line(text?: string): void;
  /** The one JSON document of `--json`; NaN is null in it, so that every reader takes it. */
  json(value: Json): void;
  /** A piece of the result that is not a line of its own. Resolves when there is room for more. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Something to know that is not the result. */
  note(text: string): void;
}

export interface TerminalProcess {
  readonly env: Environment;
  cwd(): string;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Nothing is cut there: what is searched for must be found. */
const COLUMNS_OF_FILES = Number.POSITIVE_INFINITY;

export function openTerminal(process: TerminalProcess): Terminal {
  const { env, stdout, stderr } = process;
  const out = new QuietStream(stdout);
  const err = new QuietStream(stderr);
  return {
    env,
    cwd: process.cwd(),
    style: createStyle(wantsColour(env, stdout)),
    noteStyle: createStyle(wantsColour(env, stderr)),
    columns: stdout.columns ?? COLUMNS_OF_FILES,
    isLive: stderr.isTTY === true && env.TERM !== 'dumb' && !env.CI,
    stderr,
    line: (text = '') => void out.write(`${text}\n`),
    json: (value) => void out.write(`${stringifyJson(withoutNaN(value))}\n`),
    write: (chunk) => out.write(chunk),
    note: (text) => void err.write(`${text}\n`),
  };
}

/** EPIPE: the reader (`head`) has seen enough. EIO: the terminal was closed. Neither is worth a word. */
const GONE = new Set(['EPIPE', 'EIO', 'ERR_STREAM_DESTROYED']);

class QuietStream {
  readonly #write: NodeJS.WriteStream['write'];
  #isGone = false;

  constructor(stream: NodeJS.WriteStream) {
    // Bound now: with `--json` everybody else's `write` leads to stderr (own-stdout.ts).
    this.#write = stream.write.bind(stream);
    stream.on('error', (error) => {
      if (!GONE.has(errnoOf(error) ?? '')) throw error;
      this.#isGone = true;
    });
  }

  write(chunk: string | Uint8Array): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    return new Promise((resolve) => {
      // The error itself arrives as an event; here it is only the end of waiting.
      this.#write(chunk, () => resolve());
    });
  }
}
