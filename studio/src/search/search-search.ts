import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

/** `text` is looked for; `q` is a filter of runs. */
export const search = z.object({
  text: textField,
  in: choiceField(['transcripts', 'inputs', 'notes']),
  q: textField,
});
