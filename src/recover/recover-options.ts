import type { Clock } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { Disk, ProcessState } from '../disk/index.ts';
import type { StateDir } from '../journal/index.ts';
import type { LogStore } from '../log/index.ts';
import type { IncompleteAction } from './incomplete.ts';

/** Where Holdfast's own runs keep their things. */
export interface RunPlaces {
  readonly logs: LogStore;
  readonly logDir: string;
  readonly state: StateDir;
  readonly segments?: { readonly bucket: Bucket; readonly prefix: string } | undefined;
}

export interface RecoverOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  /**
   * What crashed: the path of a log (which need not exist), a run's directory or one of its journals, a run id, one of
   * Inspect's buffer databases or `.buffer` folders; with `bucket`, the key of a log in it.
   */
  readonly log: string;
  readonly bucket?: Bucket;
  /** For Holdfast's own runs. */
  readonly places?: RunPlaces;
  /** The system's directories for applications' data: see `platformDataDirs`. */
  readonly dataDirs: readonly string[];
  /** Default: `<log>-recovered.eval` beside the log. */
  readonly output?: string;
  /** Puts the recovered log in the place of the crashed one. */
  readonly overwrite?: boolean;
  /** Leaves the sources where they are. */
  readonly keep?: boolean;
  readonly noEvents?: boolean;
  readonly incomplete?: IncompleteAction;
  readonly incompleteMax?: number;
  /** The caller vouches that the writer is dead. A writer that is surely alive is refused all the same. */
  readonly forceDead?: boolean;
  /** Where temporary files may be made. Default: the directory of the output, or the system's. */
  readonly scratchDir?: string;
  readonly stateOf?: (pid: number) => ProcessState;
  readonly onProgress?: (done: number, total: number) => void;
}
