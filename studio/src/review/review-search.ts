import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

/** What of the queue is shown: all of it, what nobody judged, or one cell of the agreement. */
export const REVIEW_SHOWS = [
  'all',
  'open',
  'bothPass',
  'bothFail',
  'onlyScorerPasses',
  'onlyPeoplePass',
  'unsure',
] as const;

/** `run`: only its samples, else those of the newest runs that `q` leaves. `at`: the sample that is judged. */
export const search = z.object({
  run: textField,
  q: textField,
  score: textField,
  at: textField,
  show: choiceField(REVIEW_SHOWS),
});
