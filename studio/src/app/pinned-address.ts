import { parseSearch, stringifySearch } from './search-params.ts';

/** An address of a page, as `location` has it. */
interface Address {
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
}

/** The same address at a commit of the results, or without one. */
export function addressAt({ origin, pathname, search }: Address, commit: string | undefined): string {
  return `${origin}${pathname}${stringifySearch({ ...parseSearch(search), at: commit })}`;
}
