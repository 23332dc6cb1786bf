import { z } from 'zod';
import { textField } from '../app/search-fields.ts';

/** `at`: the first visible row, so that Back and reload come to where one was. */
export const search = z.object({
  q: textField,
  sort: textField,
  cols: textField,
  group: textField,
  at: textField,
});
