import { resolve } from 'node:path';
import { ActionableError } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { LogReader } from '../../log/index.ts';
import type { FoundResult, ResultsStore } from '../../results/index.ts';
import type { SourceRun } from '../../sources/index.ts';
import { type ResultsFlags, resultsOf } from '../results/results-place.ts';
import type { SourcesFlags } from '../results/run-sources.ts';
import type { SourceLog } from '../results/source-runs.ts';
import type { Terminal } from '../terminal.ts';
import { openNamedLog } from './log-place.ts';

/** A log as it was named on the command line. */
export interface NamedLog extends AsyncDisposable {
  readonly log: LogReader;
  /** When it is a published run: where it is kept. */
  readonly published?: PublishedRun;
  /** When it is a run of a source that was named. */
  readonly sourceRun?: SourceRun;
}

export interface PublishedRun extends AsyncDisposable {
  readonly store: ResultsStore;
  readonly found: FoundResult;
}

/**
 * Opens a log by its path, by its URL in a bucket, or by the id of a run that is published or in a source that was named. Whoever opens
 * it closes it.
 */
export async function openNamed(given: string, flags: SourcesFlags, terminal: Terminal): Promise<NamedLog> {
  const there = await findInSources(given, flags, terminal);
  if (there)
    return {
      log: there.log,
      sourceRun: there.run,
      [Symbol.asyncDispose]: () => there[Symbol.asyncDispose](),
    };
  const published = await findPublished(given, flags, terminal);
  if (!published) {
    const log = await openNamedLog(given, terminal.cwd);
    return { log, [Symbol.asyncDispose]: () => log.close() };
  }
  const log = await published.store.open(published.found);
  return { log, published, [Symbol.asyncDispose]: () => published[Symbol.asyncDispose]() };
}

/** What is a file here is meant as such. */
export async function findInSources(
  given: string,
  flags: SourcesFlags,
  terminal: Terminal,
): Promise<SourceLog | undefined> {
  if ((flags.source ?? []).length === 0 || isBucketUrl(given)) return undefined;
  if (await nodeDisk.stat(resolve(terminal.cwd, given))) return undefined;
  const { openFromSources } = await import('../results/source-runs.ts');
  return openFromSources(given, flags, terminal);
}

/**
 * The published run that a name stands for. Undefined for what is a file, the URL of a bucket, or no id of a run; and where there are
 * no results, unless a repository was named.
 */
export async function findPublished(
  given: string,
  flags: ResultsFlags,
  terminal: Terminal,
): Promise<PublishedRun | undefined> {
  if (!looksLikeRun(given) || (await nodeDisk.stat(resolve(terminal.cwd, given)))) return undefined;
  const store = await resultsIfThere(flags, terminal);
  if (!store) return undefined;
  try {
    const found = await store.find(given);
    return { store, found, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

/** Ids are a time and letters, and the beginning of either is enough; a name with a dot or a slash is that of a file. */
function looksLikeRun(given: string): boolean {
  return /^[0-9A-Za-z-]{3,}$/.test(given) && !isBucketUrl(given);
}

/** What says that there are no results here, rather than that something is wrong with them. */
const NONE: ReadonlySet<string> = new Set(['E_NO_REPOSITORY', 'E_REPOSITORY_OWNER', 'E_GIT_MISSING']);

/** The results of this folder's repository; undefined where nobody keeps any. */
export async function resultsIfThere(
  flags: ResultsFlags,
  terminal: Terminal,
): Promise<ResultsStore | undefined> {
  const isNamed = flags.repo !== undefined || flags.branch !== undefined;
  let store: ResultsStore;
  try {
    store = await resultsOf(flags, terminal);
  } catch (error) {
    if (!isNamed && error instanceof ActionableError && NONE.has(error.code)) return undefined;
    throw error;
  }
  if (isNamed || (await store.isThere())) return store;
  await store[Symbol.asyncDispose]();
  return undefined;
}
