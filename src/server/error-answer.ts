import { ActionableError, messageOf, UsageError } from '../base/index.ts';
import type { Problem } from './api.ts';

/** Codes that mean: there is no such thing here. */
const NOT_FOUND: ReadonlySet<string> = new Set([
  'E_RUN_UNKNOWN',
  'E_RUN_ID',
  'E_RUN_ARCHIVED',
  'E_RESULTS_COMMIT',
  'E_SAMPLE_UNKNOWN',
  'E_EVENT_UNKNOWN',
  'E_HISTORY_NONE',
  'E_STUDIO_NO_PAGE',
  'E_SHARED_UNKNOWN',
  'E_SHARED_AMBIGUOUS',
  'E_ARTIFACT_UNKNOWN',
  'E_MERGE_UNKNOWN',
]);
const REFUSED: ReadonlySet<string> = new Set(['E_STUDIO_HOST', 'E_STUDIO_ORIGIN']);

export function problemOf(error: unknown): Problem {
  if (error instanceof ActionableError) {
    const { code, message, hint } = error;
    return { code, message, hint };
  }
  return {
    code: 'E_INTERNAL',
    message: messageOf(error),
    hint: 'This is a bug in Holdfast; the terminal that serves the Studio says more.',
  };
}

/** What HTTP has for it. What is damaged is no fault of the server, nor of the one who asks. */
export function statusOf(error: unknown): 400 | 401 | 403 | 404 | 405 | 422 | 500 {
  if (!(error instanceof ActionableError)) return 500;
  if (error.code === 'E_STUDIO_TOKEN') return 401;
  if (error.code === 'E_STUDIO_METHOD') return 405;
  if (REFUSED.has(error.code)) return 403;
  if (NOT_FOUND.has(error.code)) return 404;
  return error instanceof UsageError ? 400 : 422;
}
