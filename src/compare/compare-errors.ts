import { UsageError } from '../base/index.ts';

export function wrongCount(count: number): UsageError {
  return new UsageError({
    code: 'E_COMPARE_COUNT',
    message: `${count === 1 ? 'One run' : `${count} runs`} cannot be compared.`,
    hint: 'Name two to six runs: the first is what the others are compared with.',
  });
}

export function unknownScorer(name: string, known: readonly string[]): UsageError {
  return new UsageError({
    code: 'E_COMPARE_SCORER',
    message: `No sample of these runs has a score of ${name}.`,
    hint: known.length === 0 ? 'They have no scores at all.' : `There are ${known.join(', ')}.`,
  });
}
