import type { Parts, RunIdentity } from './run-identity.ts';

export interface Change {
  /**
   * `target`: something of it, and the logs do not tell what. `prompt` only where it is known to be that: the prompt of a target that
   * is code is in its code. `commit` is where all code was at, also that which the eval does not use.
   */
  readonly what:
    | 'eval'
    | 'dataset'
    | 'scorer'
    | 'model'
    | 'prompt'
    | 'settings'
    | 'code'
    | 'inputs'
    | 'solver'
    | 'target'
    | 'commit'
    | 'limits';
  /** One sentence. */
  readonly said: string;
  /** True when figures of the two runs do not measure the same thing, or not on the same rows. */
  readonly isWarning: boolean;
}

/** What differs between two runs besides their results. */
export function changesBetween(before: RunIdentity, after: RunIdentity): Change[] {
  return [
    ...evalChange(before, after),
    ...datasetChange(before, after),
    ...scorerChange(before, after),
    ...modelChange(before, after),
    ...solverChange(before, after),
    ...targetChange(before, after),
    ...commitChange(before, after),
    ...limitsChange(before, after),
  ];
}

function evalChange(before: RunIdentity, after: RunIdentity): Change[] {
  if (before.eval !== after.eval)
    return [warning('eval', `the eval differs: ${before.eval}, then ${after.eval}`)];
  if (before.version === after.version) return [];
  return [warning('eval', `the eval's version differs: ${before.version}, then ${after.version}`)];
}

function datasetChange(before: RunIdentity, after: RunIdentity): Change[] {
  if (before.dataset === after.dataset) return [];
  return [warning('dataset', `the dataset differs: ${before.dataset}, then ${after.dataset}`)];
}

/** Digests cover the eval's name: of two evals only the lists of scorers and the parts can be compared. */
function scorerChange(before: RunIdentity, after: RunIdentity): Change[] {
  if (before.scorers !== after.scorers)
    return [
      warning('scorer', `the scorers differ: ${before.scorers || 'none'}, then ${after.scorers || 'none'}`),
    ];
  if (before.definition === undefined || after.definition === undefined) return [];
  if (before.definition === after.definition) return [];
  const parts = before.parts && after.parts ? differing(before.parts.scoring, after.parts.scoring) : [];
  if (parts.length > 0) return parts.flatMap((part) => scoringPart(part) ?? []);
  if (before.eval !== after.eval) return [];
  return [warning('scorer', 'the scorers differ in their code, metrics or reducers')];
}

/** Inputs are told with the target, to which they belong as well. */
function scoringPart(part: string): Change | undefined {
  if (part === 'inputs') return undefined;
  const said: Parts = {
    scorers: 'the scorers or their options differ',
    code: 'the code of the scorers differs',
    models: 'the models that scorers may ask are reached another way',
    metrics: 'the metrics differ',
    reducers: 'epochs are reduced another way',
  };
  return warning('scorer', said[part] ?? `the scoring differs (${part})`);
}

function modelChange(before: RunIdentity, after: RunIdentity): Change[] {
  return before.model === after.model ? [] : [note('model', `model ${before.model}, then ${after.model}`)];
}

/** Solvers of Inspect that do nothing but say something to the model. */
const PROMPTS: ReadonlySet<string> = new Set([
  'system_message',
  'user_message',
  'assistant_message',
  'prompt_template',
  'chain_of_thought',
]);

/** What the logs of Inspect tell of it; those of Holdfast have one solver, which is the kind of the target. */
function solverChange(before: RunIdentity, after: RunIdentity): Change[] {
  const [from, to] = [before, after].map(({ steps }) => steps.map(({ solver }) => nameOf(solver)).join(', '));
  const edited = before.steps.filter(({ params }, index) => params !== after.steps[index]?.params);
  const solvers =
    from !== to
      ? [warning('solver', `the solvers differ: ${from || 'none'}, then ${to || 'none'}`)]
      : edited.map(({ solver }) =>
          PROMPTS.has(nameOf(solver))
            ? warning('prompt', `the prompt differs: that of ${nameOf(solver)}`)
            : warning('solver', `the parameters of ${nameOf(solver) || 'the solver'} differ`),
        );
  return [
    ...solvers,
    ...(before.taskArgs === after.taskArgs ? [] : [warning('settings', "the task's arguments differ")]),
    ...(before.modelSettings === after.modelSettings
      ? []
      : [warning('settings', 'the settings of the model differ')]),
  ];
}

function nameOf(solver: string): string {
  return solver.slice(solver.lastIndexOf('/') + 1);
}

/** The digest of a target covers its model and the eval's version: when those are others, only the parts can tell of the rest. */
function targetChange(before: RunIdentity, after: RunIdentity): Change[] {
  if (before.target === after.target) return [];
  const isSame = before.model === after.model && before.version === after.version;
  if (before.target === undefined || after.target === undefined)
    return isSame
      ? [warning('target', 'one log is of another tool: whether their prompts are alike cannot be told')]
      : [];
  const parts = before.parts && after.parts ? differing(before.parts.target, after.parts.target) : [];
  if (parts.length > 0)
    return parts.flatMap((part) =>
      part === 'model' && before.model !== after.model ? [] : targetPart(part),
    );
  return isSame ? [warning('target', `the target differs: ${ANYTHING}; the logs do not tell which`)] : [];
}

const ANYTHING = 'its prompt, code, settings or inputs';

function targetPart(part: string): Change {
  const changes: Readonly<Record<string, Change>> = {
    kind: warning('target', 'the target is of another kind'),
    model: warning('model', 'the model of that name is another'),
    prompt: warning('prompt', 'the prompt differs'),
    settings: warning('settings', 'the settings of the target differ'),
    command: warning('code', 'the command differs, or its program'),
    workspace: warning('inputs', 'the files of the workspace differ'),
    code: warning('code', 'the code of the target differs'),
    inputs: warning('inputs', 'the files that the eval declares as inputs differ'),
    redact: warning('settings', 'what is redacted differs'),
  };
  return changes[part] ?? warning('target', `the target differs (${part})`);
}

/** Names of the parts that are not the same on both sides, in the order in which they are written. */
function differing(before: Parts, after: Parts): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
}

function commitChange(before: RunIdentity, after: RunIdentity): Change[] {
  const [from, to] = [commitText(before), commitText(after)];
  return from === to || (from === undefined && to === undefined)
    ? []
    : [note('commit', `code ${from ?? 'of an unknown commit'}, then ${to ?? 'of an unknown commit'}`)];
}

function limitsChange(before: RunIdentity, after: RunIdentity): Change[] {
  if (before.limits === after.limits) return [];
  return [note('limits', `limits ${before.limits || 'none'}, then ${after.limits || 'none'}`)];
}

/** `1a2b3c4d`, with what was not committed. */
export function commitText({ commit, isDirty }: Pick<RunIdentity, 'commit' | 'isDirty'>): string | undefined {
  return commit === undefined ? undefined : `${commit.slice(0, 8)}${isDirty ? ' with changes' : ''}`;
}

function warning(what: Change['what'], said: string): Change {
  return { what, said, isWarning: true };
}

function note(what: Change['what'], said: string): Change {
  return { what, said, isWarning: false };
}
