import { type AnswerOf, ROUTES, type RouteName } from '../../../src/server/api.ts';
import { wrongAnswer } from './problem-error.ts';

/** The answer as its schema has it: never cast. */
export function parseAnswer<Name extends RouteName>(name: Name, body: unknown): AnswerOf<Name> {
  const parsed = ROUTES[name].answer.safeParse(body);
  if (parsed.success) return parsed.data as AnswerOf<Name>;
  const [issue] = parsed.error.issues;
  throw wrongAnswer(name, `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'unknown'}`);
}
