import { z } from 'zod';
import { textField } from '../app/search-fields.ts';

/** `cols`: columns, with commas between them. `group`: `eval`, or nothing. */
export const search = z.object({ q: textField, sort: textField, cols: textField, group: textField });
