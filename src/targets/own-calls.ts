import type { OwnCalls } from '../evals/index.ts';
import type { Models } from './models.ts';
import { OwnFailures } from './own-failures.ts';
import { createRecord } from './recorded-call.ts';
import { recordedFetch } from './recorded-fetch.ts';
import type { SampleScope } from './sample-scope.ts';

export interface OpenOwnCalls extends Disposable {
  readonly calls: OwnCalls;
}

/** `fetch` and `record` for a target function or a scorer; disposed of when that has ended. */
export function createOwnCalls(about: {
  readonly models: Models;
  readonly scope: SampleScope;
}): OpenOwnCalls {
  const failures = new OwnFailures(about);
  const place = { ...about, failures };
  return {
    calls: { fetch: recordedFetch(place), record: createRecord(place) },
    [Symbol.dispose]: () => failures.end(),
  };
}
