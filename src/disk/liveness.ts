import { type ProcessIdentity, type ProcessState, stateOfProcess, whoAmI } from './process-identity.ts';

export type Liveness = 'alive' | 'dead' | 'unknown';

export interface LivenessOptions {
  readonly self?: ProcessIdentity;
  readonly stateOf?: (pid: number) => ProcessState;
}

/**
 * Whether the process that an identity names is still there. `'dead'` is only said when it is certain: a lease of a
 * process that may be alive on another machine must not be taken from it.
 */
export function livenessOf(identity: ProcessIdentity, options: LivenessOptions = {}): Liveness {
  const { self = whoAmI(), stateOf = stateOfProcess } = options;
  if (!isSameMachine(identity, self)) return 'unknown';
  if (identity.bootId === undefined || self.bootId === undefined)
    return livenessWithoutBootId(identity, self);
  if (identity.bootId !== self.bootId) return 'dead';
  if (identity.pidNamespace === undefined || identity.pidNamespace !== self.pidNamespace) return 'unknown';
  const state = stateOf(identity.pid);
  if (state.kind === 'hidden') return 'unknown';
  return state.kind === 'running' && state.processStart === identity.processStart ? 'alive' : 'dead';
}

function isSameMachine(a: ProcessIdentity, b: ProcessIdentity): boolean {
  const areIdsKnown = a.machineId !== undefined && b.machineId !== undefined;
  return a.host === b.host && (!areIdsKnown || a.machineId === b.machineId);
}

/** Without a boot id nothing is certain but that we are alive ourselves. */
function livenessWithoutBootId(identity: ProcessIdentity, self: ProcessIdentity): Liveness {
  const isSelf =
    identity.pid === self.pid &&
    identity.processStart === self.processStart &&
    identity.pidNamespace === self.pidNamespace;
  return isSelf ? 'alive' : 'unknown';
}
