import process from 'node:process';
import { UsageError } from '../../base/index.ts';
import { servePool, WorkerPool } from '../../cluster/index.ts';
import { parentLink } from '../../process/index.ts';
import type { PlannedItem, PreparedSet } from '../../runner/index.ts';
import type { CommandCall } from '../command.ts';
import type { RunFlags } from '../commands/run.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';

/** Words that only the process that has the run must hear. */
const NOT_FOR_WORKERS: ReadonlySet<string> = new Set(['--json', '--verbose']);

export interface WorkersAbout {
  readonly command: string;
  readonly items: readonly PlannedItem[];
  readonly onLine: (line: string) => void;
}

export interface Workers extends AsyncDisposable {
  readonly pool: WorkerPool;
}

/** `--workers`: processes that run the samples. They end when it is disposed. */
export function startWorkers(
  { terminal, words }: CommandCall<RunFlags>,
  { command, items, onLine, workers }: WorkersAbout & { readonly workers: number },
): Workers {
  const own = words.filter((word) => !NOT_FOR_WORKERS.has(word));
  const pool = new WorkerPool({
    ...{ workers, items, onLine, cwd: terminal.cwd, env: terminal.env },
    argv: [...process.execArgv, process.argv[1] ?? '', command, ...own, '--worker-session'],
  });
  return { pool, [Symbol.asyncDispose]: () => pool.end() };
}

/** One of these processes. Ctrl-C reaches it as well, and is the business of the one that started it. */
export async function serveAsWorker(set: PreparedSet): Promise<ExitCode> {
  const link = parentLink();
  if (!link)
    throw new UsageError({
      code: 'E_NO_PARENT',
      message: '--worker-session is for the processes that --workers starts.',
      hint: 'Run the evals with --workers <n>.',
    });
  process.on('SIGINT', () => undefined);
  await servePool(set, link);
  return EXIT.ok;
}
