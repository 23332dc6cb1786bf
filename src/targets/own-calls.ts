import type { OwnCalls } from '../evals/index.ts';
import type { Models } from './models.ts';
import { createRecord } from './recorded-call.ts';
import { recordedFetch } from './recorded-fetch.ts';
import type { SampleScope } from './sample-scope.ts';

/** `fetch` and `record` for target functions and scorers. */
export function createOwnCalls(about: { readonly models: Models; readonly scope: SampleScope }): OwnCalls {
  return { fetch: recordedFetch(about), record: createRecord(about) };
}
