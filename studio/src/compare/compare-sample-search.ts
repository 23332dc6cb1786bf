import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

export const COMPARE_SAMPLE_VIEWS = ['turns', 'diff'] as const;

/** `runs`: two ids with a comma between them. `view`: what has the room, the transcripts or the diff of the outputs. */
export const search = z.object({
  runs: textField,
  epoch: textField,
  event: textField,
  view: choiceField(COMPARE_SAMPLE_VIEWS),
});
