import { packagePage, UsageError } from '../base/index.ts';

/** A filter or an order that is not understood, with its place. */
export function wrongFilter(
  option: 'where' | 'sort',
  given: string,
  { at, message }: { readonly at: number; readonly message: string },
): UsageError {
  return new UsageError({
    code: 'E_FILTER',
    message: `--${option} "${given}" is wrong at character ${at + 1}: ${message}`,
    hint: `See "Filters" in ${packagePage('guide/results.md')}.`,
  });
}
