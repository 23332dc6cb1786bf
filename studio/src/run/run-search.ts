import { z } from 'zod';
import { textField } from '../app/search-fields.ts';

export const RUN_TABS = ['samples', 'timeline', 'cost', 'config', 'raw'] as const;
export type RunTab = (typeof RUN_TABS)[number];

/** `cols`: columns of the samples, with commas between them. `score`: the one that decides. `show`: `all` settings, not only those that differ. */
export const search = z.object({
  q: textField,
  sort: textField,
  cols: textField,
  score: textField,
  show: textField,
});

/** The tab of an address; the samples when it names none. */
export function tabOf(part: string | undefined): RunTab {
  return RUN_TABS.find((tab) => tab === part) ?? 'samples';
}
