import type { RunIdentity } from './run-identity.ts';

export interface Change {
  readonly what: 'eval' | 'dataset' | 'scorer' | 'prompt' | 'model' | 'code' | 'limits';
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
    ...promptChange(before, after),
    ...codeChange(before, after),
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

/** Digests cover the eval's name: of two evals only the lists of scorers can be compared. */
function scorerChange(before: RunIdentity, after: RunIdentity): Change[] {
  if (before.scorers !== after.scorers)
    return [
      warning('scorer', `the scorers differ: ${before.scorers || 'none'}, then ${after.scorers || 'none'}`),
    ];
  const isKnown =
    before.definition !== undefined && after.definition !== undefined && before.eval === after.eval;
  if (!isKnown || before.definition === after.definition) return [];
  return [warning('scorer', 'the scorers differ in their code, metrics or reducers')];
}

function modelChange(before: RunIdentity, after: RunIdentity): Change[] {
  return before.model === after.model ? [] : [note('model', `model ${before.model}, then ${after.model}`)];
}

/** The digest of a target covers its model: when that is another, nothing can be said of the prompt apart from the plan. */
function promptChange(before: RunIdentity, after: RunIdentity): Change[] {
  if (before.plan !== after.plan)
    return [warning('prompt', 'the prompt differs: other solvers, parameters or settings of the model')];
  if (before.model !== after.model || before.target === after.target) return [];
  if (before.target === undefined || after.target === undefined)
    return [warning('prompt', 'one log is of another tool: whether their prompts are alike cannot be told')];
  return [warning('prompt', 'the target differs: its prompt, code, settings or inputs')];
}

function codeChange(before: RunIdentity, after: RunIdentity): Change[] {
  const [from, to] = [commitText(before), commitText(after)];
  return from === to || (from === undefined && to === undefined)
    ? []
    : [note('code', `code ${from ?? 'of an unknown commit'}, then ${to ?? 'of an unknown commit'}`)];
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
