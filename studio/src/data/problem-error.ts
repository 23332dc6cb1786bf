import { errorAnswer, type Problem } from '../../../src/server/api.ts';

/** What went wrong, in the words of the server: a code, one sentence, and what to do. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly code: string;
  readonly hint: string;
  readonly place: string | undefined;
  /** Undefined when there was no answer at all. */
  readonly status: number | undefined;

  constructor(problem: Problem, status?: number) {
    super(problem.message);
    this.code = problem.code;
    this.hint = problem.hint;
    this.place = problem.place;
    this.status = status;
  }
}

/** The problem that an answer tells; its own words when it is not one of ours. */
export function problemOfAnswer(status: number, body: string): ProblemError {
  const parsed = errorAnswer.safeParse(tryParseJson(body));
  if (parsed.success) return new ProblemError(parsed.data.error, status);
  const message = `The server answered with status ${status}, and not in our words.`;
  return new ProblemError(
    { code: 'E_STUDIO_ANSWER', message, hint: 'See what holdfast studio printed in its terminal.' },
    status,
  );
}

export function noAnswer(): ProblemError {
  return new ProblemError({
    code: 'E_STUDIO_NO_ANSWER',
    message: 'The server of the Studio does not answer.',
    hint: 'Start it again with "holdfast studio"; this page goes on by itself.',
  });
}

export function wrongAnswer(route: string, why: string): ProblemError {
  return new ProblemError({
    code: 'E_STUDIO_ANSWER',
    message: `The answer to "${route}" is not what this page understands: ${why}`,
    hint: 'Reload the page: the server may be of another version than it.',
  });
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whatever it is, it is no answer of ours, and the caller says so.
    return undefined;
  }
}
