import process from 'node:process';
import { UsageError } from '../../base/index.ts';
import { servePool, WorkerPool } from '../../cluster/index.ts';
import { parentLink } from '../../process/index.ts';
import type { PreparedSet } from '../../runner/index.ts';
import type { CommandCall } from '../command.ts';
import type { RunFlags } from '../commands/run.ts';
import { endWithParent } from '../end-with-parent.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Environment } from '../terminal.ts';

/** Words that only the process that has the run must hear. */
const NOT_FOR_WORKERS: ReadonlySet<string> = new Set(['--json', '--verbose']);

export interface WorkersAbout {
  readonly command: string;
  readonly set: Pick<PreparedSet, 'items' | 'limiter'>;
  readonly onLine: (line: string) => void;
}

export interface Workers extends AsyncDisposable {
  readonly pool: WorkerPool;
}

/** `--workers` and `isolate`: processes that run the samples. They end when it is disposed. */
export function startWorkers(
  { terminal, words }: CommandCall<RunFlags>,
  { command, set, onLine, workers }: WorkersAbout & { readonly workers: number | undefined },
): Workers {
  const own = words.filter((word) => !NOT_FOR_WORKERS.has(word));
  const pool = new WorkerPool({
    ...{ workers, items: set.items, limiter: set.limiter, onLine, cwd: terminal.cwd, env: terminal.env },
    argv: [...process.execArgv, process.argv[1] ?? '', command, ...own, '--worker-session'],
  });
  return { pool, [Symbol.asyncDispose]: () => pool.end() };
}

/** One of these processes. Ctrl-C reaches it as well, and is the business of the one that started it. */
export async function serveAsWorker(set: PreparedSet, env: Environment): Promise<ExitCode> {
  const link = parentLink(env);
  if (!link)
    throw new UsageError({
      code: 'E_NO_PARENT',
      message: '--worker-session is for the processes that --workers and --isolate start.',
      hint: 'Run the evals with --workers <n> or --isolate.',
    });
  process.on('SIGINT', () => undefined);
  endWithParent(link);
  await servePool(set, link);
  link.close();
  return EXIT.ok;
}
