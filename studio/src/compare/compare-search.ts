import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

export const COMPARE_VIEWS = ['table', 'plots'] as const;

/** `runs`: ids with commas between them, the base first. `with`: the run whose flips and figures are shown beside the base. */
export const search = z.object({
  runs: textField,
  with: textField,
  score: textField,
  q: textField,
  sort: textField,
  view: choiceField(COMPARE_VIEWS),
});
