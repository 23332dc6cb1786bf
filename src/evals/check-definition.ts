import type { z } from 'zod';
import { packagePage, UsageError } from '../base/index.ts';
import { definitionSchema } from './definition-schema.ts';
import { unknownKeyOf } from './strict-object.ts';

/** One thing that is wrong with a definition, and where: `["scorers", 0, "includes"]`. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** All that is wrong with an eval's definition; empty when it is fine. */
export function findProblems(definition: unknown): Problem[] {
  return problemsOf(definitionSchema, definition);
}

/** What a schema finds wrong. Unknown words come first: a misspelt word is why another seems to be missing. */
export function problemsOf(schema: z.ZodType, value: unknown): Problem[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  const unknown = issues.filter((issue) => unknownKeyOf(issue) !== undefined);
  const rest = issues.filter((issue) => unknownKeyOf(issue) === undefined);
  return [...unknown, ...rest].map((issue) => ({ path: pathOf(issue), message: issue.message }));
}

/** `scorers[0].regex` */
export function pathText(path: Problem['path']): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
}

/** The first problem as one sentence about one place. */
export function problemSentence(problems: readonly Problem[], whole = 'the eval'): string {
  const [first] = problems;
  const subject = first === undefined || first.path.length === 0 ? whole : `"${pathText(first.path)}"`;
  const others = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return asSentence(`${subject} ${first?.message ?? 'is not valid'}${others}`);
}

/** Ends with a full stop, unless it ends with a question. */
export function asSentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`;
}

export function invalidEval(definition: unknown, problems: readonly Problem[]): UsageError {
  const name = nameOf(definition);
  const sentence = problemSentence(problems);
  return new UsageError({
    code: 'E_EVAL_INVALID',
    message: name === undefined ? `In an eval, ${sentence}` : `In the eval "${name}", ${sentence}`,
    hint: `Correct the definition; ${packagePage('guide/writing-evals.md')} lists every word it can have.`,
  });
}

function pathOf(issue: z.core.$ZodIssue): (string | number)[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
  return issue.code === 'unrecognized_keys' ? [...path, issue.keys[0] ?? ''] : path;
}

function nameOf(definition: unknown): string | undefined {
  if (typeof definition !== 'object' || definition === null) return undefined;
  const name: unknown = Reflect.get(definition, 'name');
  return typeof name === 'string' && name !== '' ? name : undefined;
}
