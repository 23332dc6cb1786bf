import { UsageError } from '../base/index.ts';

/** The remote that results are shared with: the one that was named, the only one, or `origin`. */
export function chooseRemote(given: string | undefined, known: readonly string[]): string | undefined {
  if (given === undefined) return known.length === 1 ? known[0] : known.find((name) => name === 'origin');
  if (!known.includes(given)) throw unknownRemote(given, known);
  return given;
}

function unknownRemote(remote: string, known: readonly string[]): UsageError {
  const list = known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}.`;
  return new UsageError({
    code: 'E_REMOTE_UNKNOWN',
    message: `The repository of the results has no remote "${remote}". ${list}`,
    hint: 'Add it with "git remote add", or name another with --remote.',
  });
}
