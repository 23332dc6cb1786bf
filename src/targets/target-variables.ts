import type { PlannedTarget } from '../evals/index.ts';
import { PRESETS } from './command-preset.ts';
import { variablesInHeaders } from './http-target.ts';

/** Variables of the environment that a target takes itself: that an agent may see, or that headers of an endpoint need. */
export function variablesOfTarget(target: PlannedTarget): readonly string[] {
  if (target.kind === 'http') return variablesInHeaders(target.spec);
  if (target.kind !== 'command') return [];
  const { preset, env = [] } = target.spec;
  return [...(preset === undefined ? [] : PRESETS[preset].env), ...env];
}
