import { resolve } from 'node:path';
import { type Digest, isRunId } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { peekBranch } from '../../git/index.ts';
import type { LogStore } from '../../log/index.ts';
import type { RowAt } from '../../results/index.ts';
import type { EarlierChanges, EarlierLog, EarlierLogs, WhyAbsent } from '../../reuse/index.ts';
import type { Terminal } from '../terminal.ts';
import { cloneDirOf } from './clone-dir.ts';
import type { EarlierResults } from './open-earlier.ts';
import { BRANCH, isRemote } from './repo-name.ts';
import type { ResultsFlags } from './results-place.ts';

/** The published runs of this folder's repository, for runs to take from. Nothing is started before it is asked for. */
export class PublishedRuns implements EarlierLogs, AsyncDisposable {
  readonly #flags: ResultsFlags;
  readonly #terminal: Terminal;
  #results: Promise<EarlierResults | undefined> | undefined;

  constructor(flags: ResultsFlags, terminal: Terminal) {
    this.#flags = flags;
    this.#terminal = terminal;
  }

  async changesSince(position: string | undefined): Promise<EarlierChanges | undefined> {
    const changes = await (await this.#opened())?.store.rowsSince(position);
    if (!changes) return undefined;
    const { added, unreadable, ...rest } = changes;
    return { ...rest, added: added.map(earlierLogOf), problems: unreadable.map(({ reason }) => reason) };
  }

  async open(log: EarlierLog) {
    const { store } = (await this.#opened()) ?? {};
    const found = await store?.at(log.place);
    return found && (await store?.open(found));
  }

  async absent(log: EarlierLog): Promise<ReadonlyMap<string, WhyAbsent>> {
    const { store, lenders } = (await this.#opened()) ?? {};
    const found = await store?.at(log.place);
    return (found && (await lenders?.absent(found))) ?? new Map();
  }

  async isRemoved(run: string): Promise<boolean> {
    const { lenders } = (await this.#opened()) ?? {};
    return isRunId(run) && ((await lenders?.isRemoved(run)) ?? false);
  }

  async bringHome(log: EarlierLog, into: LogStore): Promise<string> {
    const { store } = (await this.#opened()) ?? {};
    const found = await store?.at(log.place);
    if (!store || !found) throw new Error(`${log.place} was there a moment ago`);
    return await store.bringHome(found, into);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#results?.catch(() => undefined))?.store[Symbol.asyncDispose](); // Whoever asked was told.
  }

  #opened(): Promise<EarlierResults | undefined> {
    this.#results ??= this.#open();
    return this.#results;
  }

  /** Where no results are, git is not even started; a clone that was never made has nothing to take from. */
  async #open(): Promise<EarlierResults | undefined> {
    if (!(await mayHaveResults(this.#flags, this.#terminal))) return undefined;
    // Whoever runs evals outside of any repository does not wait for what reads them.
    const { openEarlier } = await import('./open-earlier.ts');
    return await openEarlier(this.#flags, this.#terminal);
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
