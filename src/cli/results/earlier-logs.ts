import { dirname, join } from 'node:path';
import type { Digest } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { LogStore } from '../../log/index.ts';
import type { ResultsStore, RowAt } from '../../results/index.ts';
import type { EarlierChanges, EarlierLog, EarlierLogs } from '../../reuse/index.ts';
import type { Terminal } from '../terminal.ts';
import type { ResultsFlags } from './results-place.ts';

/** The published runs of this folder's repository, for runs to take from. Nothing is started before it is asked for. */
export class PublishedRuns implements EarlierLogs, AsyncDisposable {
  readonly #flags: ResultsFlags;
  readonly #terminal: Terminal;
  #store: Promise<ResultsStore | undefined> | undefined;

  constructor(flags: ResultsFlags, terminal: Terminal) {
    this.#flags = flags;
    this.#terminal = terminal;
  }

  async changesSince(position: string | undefined): Promise<EarlierChanges | undefined> {
    const changes = await (await this.#opened())?.rowsSince(position);
    if (!changes) return undefined;
    const { added, unreadable, ...rest } = changes;
    return { ...rest, added: added.map(earlierLogOf), problems: unreadable.map(({ reason }) => reason) };
  }

  async open(log: EarlierLog) {
    const store = await this.#opened();
    const found = await store?.at(log.place);
    return found && (await store?.open(found));
  }

  async bringHome(log: EarlierLog, into: LogStore): Promise<string> {
    const store = await this.#opened();
    const found = await store?.at(log.place);
    if (!store || !found) throw new Error(`${log.place} was there a moment ago`);
    return await store.bringHome(found, into);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#store?.catch(() => undefined))?.[Symbol.asyncDispose](); // Whoever asked was told.
  }

  #opened(): Promise<ResultsStore | undefined> {
    this.#store ??= this.#open();
    return this.#store;
  }

  /** Where surely nobody keeps results, git is not even started. */
  async #open(): Promise<ResultsStore | undefined> {
    const { repo, branch } = this.#flags;
    if (repo === undefined && branch === undefined && !(await mayKeepResults(this.#terminal.cwd)))
      return undefined;
    // Whoever runs evals outside of any repository does not wait for what reads them.
    const { resultsIfThere } = await import('../logs/named-log.ts');
    return await resultsIfThere(this.#flags, this.#terminal);
  }
}

function earlierLogOf({ path, run, eval: evalName, log, by }: RowAt): EarlierLog {
  const { name, digest, sizeBytes } = log;
  return {
    place: path,
    run,
    eval: evalName,
    name,
    digest: digest as Digest,
    sizeBytes,
    by: `published by ${by.user} on ${by.host}`,
  };
}

/** False only where it is sure: no repository, or a plain one in which no ref has the name that results have. git itself knows best. */
async function mayKeepResults(folder: string): Promise<boolean> {
  const dir = await findGitDir(folder);
  if (dir === undefined) return false;
  // A work tree of its own, or refs that are kept in another way.
  if ((await nodeDisk.stat(dir))?.kind !== 'directory' || (await nodeDisk.stat(join(dir, 'reftable'))))
    return true;
  const remotes = (await nodeDisk.list(join(dir, 'refs/remotes'))) ?? [];
  const places = ['refs', 'refs/heads', ...remotes.map(({ name }) => `refs/remotes/${name}`)];
  for (const place of places) if (await nodeDisk.stat(join(dir, place, 'holdfast'))) return true;
  const packed = await nodeDisk.read(join(dir, 'packed-refs'));
  return packed !== undefined && Buffer.from(packed).includes('/holdfast/');
}

async function findGitDir(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await nodeDisk.stat(join(at, '.git'))) return join(at, '.git');
    if (at === dirname(at)) return undefined;
  }
}
