import { ActionableError, messageOf } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { LogReader, LogStore } from '../log/index.ts';
import { type EarlierLog, type EarlierLogs, indexNameOf, isIndexName } from './earlier-logs.ts';
import { PublishedIndex } from './published-index.ts';

export interface PublishedLogsOptions {
  readonly disk: Disk;
  /** Where what was seen is remembered. */
  readonly indexPath: string;
  /** Whoever only looks writes nothing. */
  readonly isLooking: boolean;
}

/** The published runs that may lend something, by the names that the index of logs has for them. */
export class PublishedLogs implements Disposable {
  readonly problems: readonly string[];
  readonly #logs: EarlierLogs;
  readonly #index: PublishedIndex;

  private constructor(logs: EarlierLogs, index: PublishedIndex, problems: readonly string[]) {
    this.#logs = logs;
    this.#index = index;
    this.problems = problems;
  }

  /** Brought up to what is there now. Undefined when nobody publishes anything. */
  static async open(logs: EarlierLogs, options: PublishedLogsOptions): Promise<PublishedLogs | undefined> {
    const index = await PublishedIndex.open(options.disk, options.indexPath, options);
    try {
      const changes = await logs.changesSince(index.position);
      if (!changes) {
        index[Symbol.dispose]();
        return undefined;
      }
      if (!changes.isSince || changes.position !== index.position) index.take(changes);
      return new PublishedLogs(logs, index, changes.problems);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      return new PublishedLogs(logs, index, [messageOf(error)]);
    }
  }

  ofEval(name: string): Iterable<EarlierLog> {
    return this.#index.ofEval(name);
  }

  /** By the name that the index of logs has for it. */
  find(name: string): EarlierLog | undefined {
    return isIndexName(name) ? this.#index.byIndexName(name) : undefined;
  }

  open(log: EarlierLog): Promise<LogReader | undefined> {
    return this.#logs.open(log);
  }

  absent(log: EarlierLog): ReturnType<EarlierLogs['absent']> {
    return this.#logs.absent(log);
  }

  isRemoved(run: string): Promise<boolean> {
    return this.#logs.isRemoved(run);
  }

  bringHome(log: EarlierLog, into: LogStore): Promise<string> {
    return this.#logs.bringHome(log, into);
  }

  [Symbol.dispose](): void {
    this.#index[Symbol.dispose]();
  }
}

/** The logs of a directory and those that are published: for whoever reads them by the names of the index. */
export function logsWithPublished(here: LogStore, published: PublishedLogs | undefined): LogStore {
  if (!published) return here;
  const find = (name: string) => published.find(name);
  return {
    place: here.place,
    list: (signal) => here.list(signal),
    async stat(name) {
      const log = find(name);
      return log ? storedAs(log) : await here.stat(name);
    },
    async open(name) {
      const log = find(name);
      return log ? await published.open(log) : await here.open(name);
    },
    openTorn: async (name) => (find(name) ? undefined : await here.openTorn(name)),
    verify: async (name) => (find(name) ? undefined : await here.verify(name)),
    create: (name, options) => here.create(name, options),
    placeOf(name) {
      const log = find(name);
      return log ? `the published run ${log.run}` : here.placeOf(name);
    },
  };
}

/** Its name tells its content, so nothing else has to. */
export function storedAs(log: EarlierLog): { name: string; sizeBytes: number; modifiedMs: number } {
  return { name: indexNameOf(log), sizeBytes: log.sizeBytes, modifiedMs: 0 };
}
