import type { RunWords } from '../../../src/server/api.ts';
import { completeRunQuery } from '../../../src/views/index.ts';
import type { Complete } from '../ui/take-completion.ts';

/** What may follow in a filter of runs. */
export function completeRuns(words: RunWords | undefined): Complete {
  return (text, caret) => completeRunQuery(text, caret, words);
}
