import type { DataFile, EvalDefinition } from './eval.ts';
import { normalizeEval } from './normalize-eval.ts';

/**
 * Defines an eval. Input and target are inferred from `data`, output from the `target` function; scorers see all
 * three. Where nothing can be inferred (rows from a file, a model as target) they are taken to be text.
 *
 * What is wrong with the definition is said at once, before anything runs.
 */
export function defineEval<Input = string, Output = string, Target = string>(
  definition: EvalDefinition<Input, Output, Target>,
): EvalDefinition<Input, Output, Target> {
  normalizeEval(definition);
  return definition;
}

/** Rows from files, with their types: `data: dataFile<Question, string>("questions.jsonl")`. */
export function dataFile<Input = string, Target = string>(
  file: string | readonly string[],
  fields?: DataFile['fields'],
): DataFile<Input, Target> {
  return { file, ...(fields !== undefined && { fields }) };
}
