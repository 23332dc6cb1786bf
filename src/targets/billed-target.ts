import { basename } from 'node:path';
import type { CommandTarget, PlannedTarget } from '../evals/index.ts';
import { PRESETS } from './command-preset.ts';
import { httpName } from './http-target.ts';

/** Whose price must be known for a budget to see what a target costs. */
export interface BilledName {
  readonly name: string;
  readonly tellsTokens: boolean;
}

/** What is known of it before the target is made ready; undefined for a cost that comes with the answer, or that only a call tells. */
export function billedTarget(target: PlannedTarget, model: string | undefined): BilledName | undefined {
  switch (target.kind) {
    case 'model':
      return { name: target.spec.model, tellsTokens: true };
    case 'http':
      return { name: httpName(target.spec), tellsTokens: false };
    case 'command':
      return billedAgent(target.spec);
    case 'modelObject':
      return undefined;
    default:
      return model === undefined ? undefined : { name: model, tellsTokens: true };
  }
}

function billedAgent({ preset, command }: CommandTarget): BilledName | undefined {
  const known = preset === undefined ? undefined : PRESETS[preset];
  const [program = ''] = command ?? known?.command ?? [];
  if (known?.tellsCost || program === '') return undefined;
  return { name: `command/${basename(program)}`, tellsTokens: known?.tellsTokens ?? false };
}
