import { basename, dirname, join } from 'node:path';
import { isRunId, type RunId } from '../base/index.ts';
import { tempPathFor } from '../disk/index.ts';

/** Below the log directory, hidden from tools that look for logs there. */
export const STATE_FOLDER = '.holdfast';

const RELEASED = '.released';
const DAMAGED = 'damaged';
const KEPT = 'kept';

/** Owns the layout of a state directory: the one place that knows what is called what in it. */
export class StateDir {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The one that belongs to a directory of logs. */
  static of(logDir: string): StateDir {
    return new StateDir(join(logDir, STATE_FOLDER));
  }

  /** The one that a run's directory lies in; undefined when it lies in none. */
  static around(runDir: string): StateDir | undefined {
    const dir = StateDir.isAside(runDir) ? dirname(dirname(runDir)) : dirname(runDir);
    return basename(dir) === STATE_FOLDER ? new StateDir(dir) : undefined;
  }

  /** True for the directory of a run that was set aside: see `damagedDir` and `keptDir`. */
  static isAside(runDir: string): boolean {
    const dir = dirname(runDir);
    return [DAMAGED, KEPT].includes(basename(dir)) && basename(dirname(dir)) === STATE_FOLDER;
  }

  /** The run that a folder is named for; one that was set aside again has a number after its id. */
  static runIdOf(name: string): RunId | undefined {
    const [runId = ''] = /^.*?-[^-]*/.exec(name) ?? [];
    return isRunId(runId) && /^(?:-\d+)?$/.test(name.slice(runId.length)) ? runId : undefined;
  }

  /** Journals of one run, a folder for each writer. */
  runDir(runId: string): string {
    return join(this.path, runId);
  }

  /** Where a run goes before it is removed: nobody takes it for a run any more [SEAL-3]. */
  releasedDir(runId: string): string {
    return `${this.runDir(runId)}${RELEASED}`;
  }

  /**
   * Where a run from a bucket is put together before it gets its name: a new place at each call, since several processes may
   * bring home the same run at once.
   */
  incomingDir(runId: string): string {
    return tempPathFor(this.runDir(runId));
  }

  /** Where a run is kept whose journals could not be read whole. */
  damagedDir(runId: string): string {
    return join(this.path, DAMAGED, runId);
  }

  /** Where a run goes, once its log is there, whose journals somebody asked to keep (`recover --keep`). */
  keptDir(runId: string): string {
    return join(this.path, KEPT, runId);
  }

  /** Says that the journals of a run are to be kept. */
  keepMark(runId: string): string {
    return join(this.runDir(runId), 'keep');
  }

  /** Evidence of a run: what its agents wrote. It stays when the journals go. */
  workDir(runId: string): string {
    return join(this.path, 'work', runId);
  }

  /** The accounts of all runs, one file for each time that a run was worked on. */
  get accountsDir(): string {
    return join(this.path, 'accounts');
  }

  /** What is known of the logs beside it, so that none is opened twice for nothing. A cache, with its version in the name. */
  get logIndex(): string {
    return join(this.path, 'log-index-2.db');
  }

  /** The list rows of the logs beside it, so that none is opened twice for a list. A cache, with its version in the name. */
  get runRows(): string {
    return join(this.path, 'run-rows-2.db');
  }

  /** Which of the logs beside it are in some results, known by a digest of theirs. A cache. */
  publishedMemory(digest: string): string {
    return join(this.path, `published-logs-${digest.slice(0, 16)}.json`);
  }

  /** Which published runs were seen, so that no row is read twice for nothing. A cache, with its version in the name. */
  get publishedIndex(): string {
    return join(this.path, 'published-index-1.db');
  }

  /** What was read of the code of evals, so that no file is parsed twice for nothing. A cache. */
  get codeOutlines(): string {
    return join(this.path, 'code-outlines.json');
  }

  /** True for the name of a folder whose run was let go: only a crash leaves it, and it may be swept. */
  static isReleased(name: string): boolean {
    return name.endsWith(RELEASED);
  }
}
