import { type Liveness, type ProcessState, stateOfProcess } from '../disk/index.ts';

export interface InspectSigns {
  readonly databases: readonly { readonly pid: number; readonly modifiedMs: number }[];
  /** When the log, or the filestore beside it, was last written; undefined when there is none. */
  readonly filesModifiedMs: number | undefined;
  readonly nowMs: number;
  readonly stateOf?: (pid: number) => ProcessState;
}

export interface LivenessVerdict {
  readonly liveness: Liveness;
  /** For a sentence: who writes, or why it cannot be told. */
  readonly because: string;
}

/** A running eval is seldom silent for longer, but a slow tool may be: what is younger than this may be alive. */
const FRESH_MS = 3_600_000;

/**
 * Whether an eval of Inspect is still running. Inspect writes down only its process id, in the name of its database, so
 * *dead* is said when that process is gone from this machine, or when there is no database here and nothing has been
 * written for an hour. An eval on another machine that shares its buffer is *unknown* for as long as it writes.
 */
export function inspectLiveness(signs: InspectSigns): LivenessVerdict {
  const { databases, filesModifiedMs, nowMs, stateOf = stateOfProcess } = signs;
  const verdicts = databases.map((database) => ofProcess(database, { nowMs, state: stateOf(database.pid) }));
  const worst =
    verdicts.find(({ liveness }) => liveness === 'alive') ??
    verdicts.find(({ liveness }) => liveness === 'unknown');
  if (worst) return worst;
  if (verdicts[0]) return verdicts[0];
  if (filesModifiedMs !== undefined && nowMs - filesModifiedMs < FRESH_MS) {
    return {
      liveness: 'unknown',
      because: 'it was written less than an hour ago, and no database on this machine says by whom',
    };
  }
  return { liveness: 'dead', because: 'nothing has been written for an hour' };
}

function ofProcess(
  { pid, modifiedMs }: { readonly pid: number; readonly modifiedMs: number },
  { nowMs, state }: { readonly nowMs: number; readonly state: ProcessState },
): LivenessVerdict {
  if (state.kind === 'gone') return { liveness: 'dead', because: `process ${pid} is gone` };
  if (state.kind === 'running' && nowMs - modifiedMs < FRESH_MS)
    return { liveness: 'alive', because: `process ${pid}` };
  // Numbers of processes are used again, so a running one need not be the writer.
  return {
    liveness: 'unknown',
    because: `there is a process ${pid}, but nothing has been written for long`,
  };
}
