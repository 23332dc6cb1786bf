import { digestOf } from '../base/index.ts';
import type { Liveness, LivenessOptions } from './liveness.ts';
import { type ProcessIdentity, stateOfProcess, whoAmI } from './process-identity.ts';

/**
 * A process identity that fits into a file name: `machine-boot-namespace-pid-start`, all but the pid as digests. Like
 * the identity itself it names one process for ever, so whoever finds the file can tell whether its writer is dead.
 */
export function processToken(identity: ProcessIdentity): string {
  const machine = shortDigest(`${identity.host}\0${identity.machineId ?? ''}`);
  const start = shortDigest(identity.processStart);
  const { bootId, pidNamespace, pid } = identity;
  return [machine, shortDigest(bootId), shortDigest(pidNamespace), pid, start].join('-');
}

export const TOKEN_PATTERN = '[0-9a-f]{8}-[0-9a-f]{0,8}-[0-9a-f]{0,8}-[0-9]{1,10}-[0-9a-f]{8}';

/** The same answers as `livenessOf`, from a token: `'dead'` only when it is certain. */
export function livenessOfToken(token: string, options: LivenessOptions = {}): Liveness {
  const { self = whoAmI(), stateOf = stateOfProcess } = options;
  const own = processToken(self);
  if (token === own) return 'alive';
  const [machine, boot, namespace, pid, start] = token.split('-');
  const [ownMachine, ownBoot, ownNamespace] = own.split('-');
  if (machine !== ownMachine || boot === '' || ownBoot === '') return 'unknown';
  if (boot !== ownBoot) return 'dead';
  if (namespace === '' || namespace !== ownNamespace) return 'unknown';
  const state = stateOf(Number(pid));
  if (state.kind === 'hidden') return 'unknown';
  return state.kind === 'running' && shortDigest(state.processStart) === start ? 'alive' : 'dead';
}

let ownToken: string | undefined;

/** The token of this process; asking the system each time would cost more than the file it names. */
export function myToken(): string {
  ownToken ??= processToken(whoAmI());
  return ownToken;
}

function shortDigest(text: string | undefined): string {
  return text === undefined ? '' : digestOf(text).slice(0, 8);
}
