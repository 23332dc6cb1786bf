import {
  type Digest,
  definedOf,
  digestOfJson,
  isJsonObject,
  type Json,
  type JsonObject,
  toJson,
} from '../base/index.ts';
import { type LogHeader, loggedCode } from '../log/index.ts';

export type Parts = Readonly<Record<string, string>>;

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
  /** What these two are made of, by name, each as a short digest. In logs of Holdfast that are young enough. */
  readonly parts?: { readonly target: Parts; readonly scoring: Parts };
  /** Solvers in order, each with a digest of its parameters. */
  readonly steps: readonly { readonly solver: string; readonly params: Digest }[];
  /** A digest of the task's arguments. */
  readonly taskArgs: Digest;
  /** A digest of how the model was set. */
  readonly modelSettings: Digest;
  readonly limits: string;
}

export function identityOf({ eval: spec, plan, metadata }: LogHeader): RunIdentity {
  const ours = ourMetadata(spec.metadata) ?? ourMetadata(metadata);
  const code = loggedCode(spec);
  return {
    eval: spec.task,
    version: String(spec.task_version),
    model: spec.model,
    ...definedOf({ commit: code?.commit, branch: code?.branch }),
    isDirty: code?.isDirty === true,
    dataset: datasetText(spec.dataset),
    scorers: (spec.scorers ?? []).map(({ name, options }) => `${name}${optionsText(options)}`).join(', '),
    ...(typeof ours?.definition === 'string' && { definition: ours.definition }),
    ...(typeof ours?.target === 'string' && { target: ours.target }),
    ...definedOf({ parts: partsIn(ours) }),
    steps: stepsOf(spec, plan),
    taskArgs: digestOfJson(toJson(spec.task_args)),
    modelSettings: digestOfJson(
      toJson([
        spec.model_generate_config,
        spec.model_roles ?? null,
        spec.model_args,
        spec.model_base_url ?? null,
        plan.config,
      ]),
    ),
    limits: limitsText(spec.config),
  };
}

function ourMetadata(metadata: Json | undefined): JsonObject | undefined {
  const ours = isJsonObject(metadata) ? metadata.holdfast : undefined;
  return isJsonObject(ours) ? ours : undefined;
}

/** The arguments of a solver that was chosen on the command line stand beside the steps. */
function stepsOf(
  { solver, solver_args }: LogHeader['eval'],
  { steps }: LogHeader['plan'],
): RunIdentity['steps'] {
  const chosen = toJson([solver ?? null, solver_args ?? null]);
  const [first, ...others] = steps.length > 0 ? steps : [{ solver: solver ?? '', params: {} }];
  if (!first) return [];
  return [
    { solver: first.solver, params: digestOfJson([first.params, chosen]) },
    ...others.map(({ solver: name, params }) => ({ solver: name, params: digestOfJson(params) })),
  ];
}

function partsIn(ours: JsonObject | undefined): RunIdentity['parts'] {
  const parts = ours?.parts;
  return isJsonObject(parts) ? { target: textsOf(parts.target), scoring: textsOf(parts.scoring) } : undefined;
}

function textsOf(value: Json | undefined): Parts {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name, text]] : [])),
  );
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
