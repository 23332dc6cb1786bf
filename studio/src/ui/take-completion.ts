import type { Suggestion } from './query-suggestions.tsx';

/** What may follow at the caret, and which part of the text it replaces. */
export interface Completed {
  readonly from: number;
  readonly to: number;
  readonly items: readonly Suggestion[];
}

export type Complete = (text: string, caret: number) => Completed;

/** The text with a suggestion in it, and where the caret is then: after a value behind a blank, after a field where its value follows. */
export function takeCompletion(
  text: string,
  { from, to }: Pick<Completed, 'from' | 'to'>,
  taken: string,
): { readonly text: string; readonly caret: number } {
  const isField = !/[:=]$/.test(text.slice(0, from));
  const rest = text.slice(to);
  const gap = isField || rest.startsWith(' ') ? '' : ' ';
  const caret = from + taken.length + (isField ? 0 : 1);
  return { text: text.slice(0, from) + taken + gap + rest, caret };
}

/** What is offered: nothing when the one thing that may follow is there already. */
export function offered(text: string, { from, to, items }: Completed): readonly Suggestion[] {
  return items.length === 1 && items[0]?.text === text.slice(from, to) ? [] : items;
}
