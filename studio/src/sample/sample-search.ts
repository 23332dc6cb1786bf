import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

export const SAMPLE_TABS = ['transcript', 'messages', 'scores', 'files', 'attempts', 'raw'] as const;

/** `q` and `sort` are those of the list that one came from: they decide what the next sample is. */
export const search = z.object({
  tab: choiceField(SAMPLE_TABS),
  event: textField,
  lane: textField,
  find: textField,
  attempt: textField,
  score: textField,
  q: textField,
  sort: textField,
});
