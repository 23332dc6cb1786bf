import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

export const COMPARE_VIEWS = ['table', 'plots'] as const;

/** `runs`: ids with commas between them, the base first. */
export const search = z.object({
  runs: textField,
  score: textField,
  q: textField,
  sort: textField,
  view: choiceField(COMPARE_VIEWS),
});
