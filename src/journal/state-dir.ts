import { basename, dirname, join } from 'node:path';

/** Below the log directory, hidden from tools that look for logs there. */
export const STATE_FOLDER = '.holdfast';

const ENDINGS = { released: '.released', incoming: '.incoming' } as const;

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
    const dir = dirname(runDir);
    return basename(dir) === STATE_FOLDER ? new StateDir(dir) : undefined;
  }

  /** Journals of one run, a folder for each writer. */
  runDir(runId: string): string {
    return join(this.path, runId);
  }

  /** Where a run goes before it is removed: nobody takes it for a run any more [SEAL-3]. */
  releasedDir(runId: string): string {
    return `${this.runDir(runId)}${ENDINGS.released}`;
  }

  /** Where a run from a bucket is put together before it gets its name. */
  incomingDir(runId: string): string {
    return `${this.runDir(runId)}${ENDINGS.incoming}`;
  }

  /** Where a run is kept whose journals could not be read whole. */
  damagedDir(runId: string): string {
    return join(this.path, 'damaged', runId);
  }

  /** Evidence of a run: what its agents wrote. It stays when the journals go. */
  workDir(runId: string): string {
    return join(this.path, 'work', runId);
  }

  /** The accounts of all runs, one file for each time that a run was worked on. */
  get accountsDir(): string {
    return join(this.path, 'accounts');
  }

  /** True for the name of a folder that only a crash leaves, and that may be swept. */
  static isOrphan(name: string): boolean {
    return Object.values(ENDINGS).some((ending) => name.endsWith(ending));
  }
}
