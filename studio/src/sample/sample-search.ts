import { z } from 'zod';
import { choiceField, textField } from '../app/search-fields.ts';

export const SAMPLE_TABS = ['transcript', 'messages', 'scores', 'files', 'attempts', 'raw'] as const;

type SampleTab = (typeof SAMPLE_TABS)[number];

/** Where the scores can be shown in a pane of their own. */
export function hasScoresBeside(tab: SampleTab): boolean {
  return tab === 'transcript' || tab === 'messages';
}

/** Where texts of people and programs are shown, as they are meant or as they are. */
export function hasTexts(tab: SampleTab): boolean {
  return hasScoresBeside(tab) || tab === 'scores';
}

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
