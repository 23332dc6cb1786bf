import { resolve } from 'node:path';
import type { Digest } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { peekBranch } from '../../git/index.ts';
import type { LogStore } from '../../log/index.ts';
import type { ResultsStore, RowAt } from '../../results/index.ts';
import type { EarlierChanges, EarlierLog, EarlierLogs } from '../../reuse/index.ts';
import type { Terminal } from '../terminal.ts';
import { cloneDirOf } from './clone-dir.ts';
import { BRANCH, isRemote } from './repo-name.ts';
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

  /** Where no results are, git is not even started; a clone that was never made has nothing to take from. */
  async #open(): Promise<ResultsStore | undefined> {
    if (!(await mayHaveResults(this.#flags, this.#terminal))) return undefined;
    // Whoever runs evals outside of any repository does not wait for what reads them.
    const { resultsIfThere } = await import('../logs/named-log.ts');
    return await resultsIfThere(this.#flags, this.#terminal);
  }
}

async function mayHaveResults({ repo, branch }: ResultsFlags, terminal: Terminal): Promise<boolean> {
  if (repo !== undefined && isRemote(repo))
    return (await nodeDisk.stat(cloneDirOf(repo, branch, terminal))) !== undefined;
  const peeked = await peekBranch(nodeDisk, resolve(terminal.cwd, repo ?? '.'), branch ?? BRANCH);
  return peeked !== 'absent' && peeked !== 'no repository';
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
