// Where a crash left something, and its recovery: new places for each test of the file that asks.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { StateDir } from '../../src/journal/index.ts';
import { directoryLogStore } from '../../src/log/index.ts';
import {
  type RecoverOptions,
  type RecoverReport,
  type RunPlaces,
  recoverLog,
} from '../../src/recover/index.ts';
import { LOG_NAME } from './inspect-buffer.ts';
import { useTempDir } from './use-temp-dir.ts';

export interface CrashedEval {
  /** The directory around all of it. */
  readonly root: string;
  /** Exists, and is empty. */
  readonly logDir: string;
  readonly dataDir: string;
  /** The path of the log, where nothing is yet. */
  readonly log: string;
  readonly recover: (more?: Partial<RecoverOptions>) => Promise<RecoverReport>;
}

/** For an eval of Inspect. `usual`: how this file recovers it, unless a test says otherwise. */
export function useCrashedEval(usual: Partial<RecoverOptions> = {}): CrashedEval {
  const dir = useTempDir();
  const at: CrashedEval = {
    get root() {
      return dir.path;
    },
    get logDir() {
      return join(dir.path, 'logs');
    },
    get dataDir() {
      return join(dir.path, 'data');
    },
    get log() {
      return join(dir.path, 'logs', LOG_NAME);
    },
    recover: (more) =>
      recoverLog({
        disk: nodeDisk,
        clock: systemClock,
        log: at.log,
        dataDirs: [at.dataDir],
        ...usual,
        ...more,
      }),
  };
  beforeEach(() => mkdir(at.logDir));
  return at;
}

export interface LeftRuns {
  readonly root: string;
  readonly places: RunPlaces & { readonly logDir: string };
  readonly recover: (log: string, more?: Partial<RecoverOptions>) => Promise<RecoverReport>;
}

/** For runs of our own. */
export function useLeftRuns(): LeftRuns {
  const dir = useTempDir();
  const at: LeftRuns = {
    get root() {
      return dir.path;
    },
    get places() {
      return runPlaces(join(dir.path, 'logs'));
    },
    recover: (log, more) =>
      recoverLog({ disk: nodeDisk, clock: systemClock, log, dataDirs: [], places: at.places, ...more }),
  };
  return at;
}

/** The places of runs whose logs go to a directory. */
export function runPlaces(logDir: string) {
  return { logs: directoryLogStore(nodeDisk, logDir), logDir, state: StateDir.of(logDir) };
}
