import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

export const MATRIX_VIEWS = ['picture', 'table'] as const;

/** `runs`: chosen ones, else the newest that `q` leaves. `cell`: pixels, else what fits. `fold`: groups that are folded. */
export const search = z.object({
  runs: textField,
  q: textField,
  score: textField,
  limit: textField,
  view: choiceField(MATRIX_VIEWS),
  cell: textField,
  fold: textField,
});
