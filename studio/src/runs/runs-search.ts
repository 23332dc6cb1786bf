import { z } from 'zod';
import { textField } from '../app/search-fields.ts';

/** `cols`: columns, with commas between them. `group`: `eval`, or nothing. */
export const search = z.object({ q: textField, sort: textField, cols: textField, group: textField });

/** What the server is asked for. */
export function askedRuns({ q, sort, group }: Pick<z.output<typeof search>, 'q' | 'sort' | 'group'>) {
  return { q, sort: group === 'eval' ? `eval,${sort === '' ? '-when' : sort}` : sort };
}
