import type { ActionableError, Clock, Random } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { ProcessEnv } from '../process/index.ts';

/** What starting and stopping workers needs of this machine. */
export interface LaunchPorts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  /** What programs such as `ssh` see of the environment. */
  readonly env: ProcessEnv;
  readonly cwd: string;
  /** Where a folder for the outputs of a command may be made. */
  readonly tempDir: string;
  /** Who does it, for people: user and machine. */
  readonly by: string;
  /** The first Ctrl-C: nothing more is started, and what was is stopped. */
  readonly signal?: AbortSignal | undefined;
  /** The second Ctrl-C: also the stopping is given up. */
  readonly abandon?: AbortSignal | undefined;
  /** What went wrong without being the end of it. */
  readonly onProblem?: ((problem: ActionableError) => void) | undefined;
}
