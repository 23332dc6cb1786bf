import { type Digest, digestOfJson, isJsonObject, type Json, toJson } from '../base/index.ts';
import type { LogHeader } from '../log/index.ts';

/** What decides the results of a run, as far as its header tells. */
export interface RunIdentity {
  readonly eval: string;
  readonly version: string;
  readonly model: string;
  readonly commit?: string;
  readonly branch?: string;
  readonly isDirty: boolean;
  readonly dataset: string;
  /** Names and options of the scorers, for people. */
  readonly scorers: string;
  /** A digest of scorers, their code, metrics and reducers: in logs of Holdfast only. */
  readonly definition?: string;
  /** A digest of the target: its prompt, code, settings and inputs, with the model. In logs of Holdfast only. */
  readonly target?: string;
  /** A digest of solvers with their parameters, the task's arguments and how the model was set. */
  readonly plan: Digest;
  readonly limits: string;
}

export function identityOf({ eval: spec, plan, metadata }: LogHeader): RunIdentity {
  const ours = ourMetadata(spec.metadata) ?? ourMetadata(metadata);
  const { revision } = spec;
  return {
    eval: spec.task,
    version: String(spec.task_version),
    model: spec.model,
    ...(typeof revision?.commit === 'string' && { commit: revision.commit }),
    ...(typeof revision?.branch === 'string' && { branch: revision.branch }),
    isDirty: revision?.dirty === true,
    dataset: datasetText(spec.dataset),
    scorers: (spec.scorers ?? []).map(({ name, options }) => `${name}${optionsText(options)}`).join(', '),
    ...(typeof ours?.definition === 'string' && { definition: ours.definition }),
    ...(typeof ours?.target === 'string' && { target: ours.target }),
    plan: digestOfJson(
      toJson({
        steps: plan.steps.map(({ solver, params }) => [solver, params]),
        solver: [spec.solver, spec.solver_args],
        task: spec.task_args,
        model: [spec.model_generate_config, spec.model_roles],
        config: plan.config,
      }),
    ),
    limits: limitsText(spec.config),
  };
}

function ourMetadata(metadata: Json | undefined) {
  const ours = isJsonObject(metadata) ? metadata.holdfast : undefined;
  return isJsonObject(ours) ? ours : undefined;
}

function datasetText({ name, location, samples }: LogHeader['eval']['dataset']): string {
  const named = [name, location].filter((text) => text !== undefined && text !== '').join(' at ');
  return `${named === '' ? 'unnamed' : named}${samples === undefined ? '' : ` (${samples} rows)`}`;
}

function optionsText(options: Json | undefined): string {
  return isJsonObject(options) && Object.keys(options).length > 0 ? JSON.stringify(options) : '';
}

function limitsText(config: LogHeader['eval']['config']): string {
  return Object.entries(config)
    .filter(([key, value]) => key.endsWith('_limit') && value !== undefined && value !== null)
    .map(([key, value]) => `${key.replace(/_limit$/, '')} ${String(value)}`)
    .sort()
    .join(', ');
}
