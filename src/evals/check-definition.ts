import type { z } from 'zod';
import { messageOf, UsageError } from '../base/index.ts';
import { definitionSchema } from './definition-schema.ts';

/** One thing that is wrong with a definition, and where: `["scorers", 0, "includes"]`. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** All that is wrong with an eval's definition; empty when it is fine. */
export function findProblems(definition: unknown): Problem[] {
  return problemsOf(definitionSchema, definition);
}

export function problemsOf(schema: z.ZodType, value: unknown): Problem[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues.map(({ path, message }) => ({
    path: path.map((step) => (typeof step === 'symbol' ? String(step) : step)),
    message,
  }));
}

/** `scorers[0].regex` */
export function pathText(path: Problem['path']): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

/** The first problem as one sentence about one place. */
export function problemSentence(problems: readonly Problem[]): string {
  const [first] = problems;
  const subject = first === undefined || first.path.length === 0 ? 'the eval' : `"${pathText(first.path)}"`;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${subject} ${first?.message ?? 'is not valid'}${others}.`;
}

export function invalidEval(definition: unknown, problems: readonly Problem[]): UsageError {
  const name = nameOf(definition);
  const sentence = problemSentence(problems);
  return new UsageError({
    code: 'E_EVAL_INVALID',
    message: name === undefined ? `In an eval, ${sentence}` : `In the eval "${name}", ${sentence}`,
    hint: 'Correct the definition; docs/guide/writing-evals.md lists every word it can have.',
  });
}

/** Runs user-given code of a definition, so that what it throws becomes a problem with a place. */
export function problemOfThrown(path: Problem['path'], error: unknown): Problem {
  return { path, message: `cannot be made: ${messageOf(error)}` };
}

function nameOf(definition: unknown): string | undefined {
  if (typeof definition !== 'object' || definition === null) return undefined;
  const name: unknown = Reflect.get(definition, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}
