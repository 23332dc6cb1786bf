import type { PushOutcome, ResultsStore } from '../../results/index.ts';

/** Brings what is published to the remote. The one place where the commands that run evals push. */
export function pushResults(results: Pick<ResultsStore, 'push'>, remote: string): Promise<PushOutcome> {
  return results.push(remote);
}
