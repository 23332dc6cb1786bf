import { ActionableError, counted, digestOf, systemClock } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { StateDir } from '../../journal/index.ts';
import type { LogStore } from '../../log/index.ts';
import {
  openPublishedMemory,
  type Published,
  type PushOutcome,
  type ResultsStore,
} from '../../results/index.ts';
import { EXIT } from '../exit-code.ts';
import { listenForStop } from '../run/stop-control.ts';
import type { Terminal } from '../terminal.ts';
import { publishVisibly } from './publish-visibly.ts';
import { upkeepInBackground } from './upkeep-in-background.ts';

/** The logs of a command that are to be published: all of a store that are not yet, or one. */
export type Sealed =
  | { readonly logs: LogStore; readonly state: StateDir }
  | { readonly logs: LogStore; readonly name: string };

export interface PublishedRun extends Pick<Published, 'run' | 'outcome' | 'commit'> {
  readonly log: string;
}

/** How far it got, also when it fails. */
export interface Progress {
  readonly runs: PublishedRun[];
  /** Logs that are still not published. */
  waiting: number;
}

interface Publishing {
  readonly results: ResultsStore;
  readonly progress: Progress;
  readonly terminal: Terminal;
}

/** Gives the first failure that did not stop it. */
export async function publishLogs(
  sealed: Sealed,
  publishing: Publishing,
): Promise<ActionableError | undefined> {
  const failure = await publishThem(sealed, publishing);
  const { results, progress, terminal } = publishing;
  if (progress.runs.length > 0) await upkeepInBackground(results, terminal);
  return failure;
}

/** Brings what is published to the remote. The one place where the commands that run evals push. */
export function pushResults(results: ResultsStore): Promise<PushOutcome> {
  return results.push();
}

async function publishThem(sealed: Sealed, publishing: Publishing): Promise<ActionableError | undefined> {
  if ('state' in sealed) return publishPending(sealed, publishing);
  const { results, progress } = publishing;
  progress.waiting = 1;
  const published = await publishOne(results, sealed.logs, sealed.name);
  if (published) progress.runs.push(published);
  progress.waiting = 0;
  return undefined;
}

/** Goes on past a log that cannot be read; stops at the first failure of the repository, and when it is told to. */
async function publishPending(
  { logs, state }: { readonly logs: LogStore; readonly state: StateDir },
  { results, progress, terminal }: Publishing,
): Promise<ActionableError | undefined> {
  const path = state.publishedMemory(digestOf(`${results.dir}\n${results.ref}`));
  const memory = await openPublishedMemory(path, { disk: nodeDisk, clock: systemClock });
  const pending = await results.pending(logs, { memory, only: 'ours' });
  progress.waiting = pending.logs.length;
  if (progress.waiting > MANY) terminal.note(`Publishing ${counted(progress.waiting, 'log')} …`);
  let { commit } = pending;
  let failure: ActionableError | undefined;
  using stop = stopControl(terminal);
  for (const log of pending.logs) {
    if (stop.isTold) break;
    try {
      const published = await publishOne(results, logs, log.name);
      progress.waiting--;
      if (!published) continue;
      ({ commit } = published);
      progress.runs.push(published);
      memory.set(log, { run: log.run, isFinished: true, isOurs: true, isPublished: true });
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      failure ??= error;
      if (!isOfOneLog(error)) break;
    }
  }
  await memory.save(commit);
  return failure;
}

/** So many take long enough to be worth a word. */
const MANY = 20;

/** Damage of a log says nothing about the next one. */
export function isOfOneLog(error: ActionableError): boolean {
  return /^E_(LOG|JSON|RESULT_UNFINISHED|RESULT_FORM)/.test(error.code);
}

/** Ctrl-C ends the publishing and nothing else: what waits is found by the next run. */
function stopControl(terminal: Terminal): Disposable & { readonly isTold: boolean } {
  const stop = listenForStop({
    onDrain: () => terminal.note('Stopping: what is not published yet is published by the next run.'),
    onAbort: () => undefined,
    note: terminal.note,
    exitCode: EXIT.interrupted,
  });
  return {
    get isTold() {
      return stop.count > 0;
    },
    [Symbol.dispose]: () => stop.dispose(),
  };
}

/** Undefined when it is gone: then nothing waits any more. */
async function publishOne(
  results: ResultsStore,
  logs: LogStore,
  name: string,
): Promise<PublishedRun | undefined> {
  const log = await logs.open(name);
  if (!log) return undefined;
  try {
    const { run, outcome, commit } = await publishVisibly(results, log, name);
    return { run, outcome, commit, log: logs.placeOf(name) };
  } finally {
    await log.close();
  }
}
