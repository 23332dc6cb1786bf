import type { Bucket } from '../bucket/index.ts';
import type { StateDir } from '../journal/index.ts';
import type { LogStore } from '../log/index.ts';

/** Where a run keeps its things. */
export interface Places {
  /** Finished logs. */
  readonly logs: LogStore;
  /** The directory of this machine in which the logs lie. */
  readonly logDir: string;
  /** Journals, accounts, and the workspaces of samples. */
  readonly state: StateDir;
  /** Where segments go, if anywhere. */
  readonly segments?: SegmentPlace | undefined;
}

export interface SegmentPlace {
  readonly bucket: Bucket;
  /** What the keys of segments begin with; finished logs lie at the root of the bucket. */
  readonly prefix: string;
}
