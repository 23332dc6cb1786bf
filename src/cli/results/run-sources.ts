import { homedir } from 'node:os';
import { join } from 'node:path';
import { Option } from 'commander';
import { ActionableError, systemClock, systemRandom } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { ResultsStore } from '../../results/index.ts';
import { placesOf } from '../../runner/index.ts';
import {
  journalSource,
  type OpenSourceOptions,
  openFolder,
  openSource,
  type RunSource,
  resultsSource,
} from '../../sources/index.ts';
import type { CommandCall } from '../command.ts';
import { checkLogDir, directoryOf } from '../logs/log-place.ts';
import type { Environment, Terminal } from '../terminal.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from './results-place.ts';

/** For those who take runs of sources by their ids. */
export interface SourcesFlags extends ResultsFlags {
  readonly source?: readonly string[];
}

export interface SourceFlags extends SourcesFlags {
  readonly logDir?: string;
}

export const LOG_DIR = 'logs';

export function sourceOptions(): readonly Option[] {
  return [
    new Option('--log-dir <dir>', 'the log directory, with the runs under way in it (default: "logs")'),
    sourceOption(),
    ...resultsOptions(),
  ];
}

export function sourceOption(): Option {
  return new Option(
    '--source <place>',
    'runs from elsewhere, too: a folder or bucket of logs, or <repository>[#<branch>]; repeatable',
  ).argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
}

/** Only what was named with `--source`. Whoever opens closes. */
export async function openNamedSources(flags: SourcesFlags, terminal: Terminal): Promise<OpenedSources> {
  const sources: RunSource[] = [];
  const close = async () => {
    for (const source of sources) await source[Symbol.asyncDispose]();
  };
  try {
    for (const place of flags.source ?? [])
      sources.push(...(await openSource(place, sourceContext(terminal))));
    return { sources, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** All that runs are looked for in. */
export interface OpenedSources extends AsyncDisposable {
  readonly sources: readonly RunSource[];
  /** Undefined when no results were begun. */
  readonly results?: { readonly store: ResultsStore; readonly commits: readonly string[] };
}

/**
 * The results, the log directory with its journals, and whatever else is named. Results that were never begun are missing only when
 * nothing else was named: then that is what the user has to know.
 */
export async function openSources({
  flags,
  terminal,
  isGiven,
  mayBeEmpty = false,
}: Pick<CommandCall<SourceFlags>, 'flags' | 'terminal' | 'isGiven'> & {
  /** Whether results that were never begun are missing at all. */
  readonly mayBeEmpty?: boolean;
}): Promise<OpenedSources> {
  const isNamed = mayBeEmpty || isGiven('logDir') || (flags.source ?? []).length > 0;
  const sources: RunSource[] = [];
  const close = async () => {
    for (const source of sources) await source[Symbol.asyncDispose]();
  };
  try {
    const results = await openStore(flags, terminal, isNamed);
    if (results) sources.push(resultsSource(results.store));
    const asked = { isLogDirGiven: isGiven('logDir'), mayBeEmpty };
    for (const place of await namedPlaces(flags, terminal, asked))
      sources.push(...(await openPlace(place, sourceContext(terminal))));
    return { sources, ...(results ? { results } : {}), [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

export function sourceContext({ cwd, env }: Terminal): OpenSourceOptions {
  return { disk: nodeDisk, clock: systemClock, random: systemRandom, env, cwd, cacheDir: cacheDirOf(env) };
}

async function openPlace(
  { given, isLogDir }: NamedPlace,
  options: OpenSourceOptions,
): Promise<readonly RunSource[]> {
  if (!isLogDir) return openSource(given, options);
  // A log directory is one also when a repository was made of it; the state of a bucket lies where its runs are started.
  if (!isBucketUrl(given)) return openFolder(directoryOf(given, options.cwd), options);
  const { state, logs } = await placesOf(nodeDisk, { logDir: given, workDir: options.cwd });
  return [...(await openSource(given, options)), journalSource({ ...options, state, logs })];
}

interface NamedPlace {
  readonly given: string;
  readonly isLogDir: boolean;
}

async function namedPlaces(
  flags: SourceFlags,
  { cwd }: Terminal,
  { isLogDirGiven, mayBeEmpty }: { readonly isLogDirGiven: boolean; readonly mayBeEmpty: boolean },
): Promise<readonly NamedPlace[]> {
  // That of the settings need not be there yet.
  if (isLogDirGiven && flags.logDir !== undefined)
    await checkLogDir(flags.logDir, cwd, 'holdfast results list --log-dir');
  const logDir = flags.logDir ?? LOG_DIR;
  const isThere = isLogDirGiven || (await nodeDisk.stat(directoryOf(logDir, cwd)))?.kind === 'directory';
  return [
    // Whoever goes on looking sees what will be there.
    ...(isThere || mayBeEmpty ? [{ given: logDir, isLogDir: true }] : []),
    ...(flags.source ?? []).map((given) => ({ given, isLogDir: false })),
  ];
}

const NOT_BEGUN: ReadonlySet<string> = new Set(['E_RESULTS_NOT_BEGUN', 'E_NO_REPOSITORY', 'E_GIT_MISSING']);

async function openStore(
  flags: SourceFlags,
  terminal: Terminal,
  isNamed: boolean,
): Promise<OpenedSources['results']> {
  const isAsked = flags.repo !== undefined || flags.branch !== undefined;
  let store: ResultsStore | undefined;
  try {
    store = await resultsOf(flags, terminal);
    return { store, commits: (await store.tree()).commits };
  } catch (error) {
    await store?.[Symbol.asyncDispose]();
    if (!isNamed || isAsked || !(error instanceof ActionableError) || !NOT_BEGUN.has(error.code)) throw error;
    return undefined;
  }
}

/** Where programs of this system keep what can be made again. */
function cacheDirOf(env: Environment): string {
  const home = env.HOME ?? homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches', 'holdfast');
  if (process.platform === 'win32') return join(env.LOCALAPPDATA ?? home, 'holdfast');
  return join(env.XDG_CACHE_HOME || join(home, '.cache'), 'holdfast');
}
