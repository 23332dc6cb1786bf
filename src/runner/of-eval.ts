import type { RunRecord } from '../journal/index.ts';
import type { PlanIdentity } from './plan.ts';

/** Which eval on which target: what all runs of it have in common, whatever their plans are. */
export type EvalIdentity = Pick<PlanIdentity, 'eval' | 'targetName'>;

/** True for a run of this eval on this target. */
export function isOfEval({ identity }: Pick<RunRecord, 'identity'>, of: EvalIdentity): boolean {
  return identity.eval === of.eval && identity.targetName === of.targetName;
}
