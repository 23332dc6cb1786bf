import type { Note, Outcome, ReviewItem, ReviewQueue } from '../../../src/server/api.ts';
import { formatTime } from '../ui/format.ts';
import { outcomeShown } from '../ui/outcomes.ts';
import type { REVIEW_SHOWS } from './review-search.ts';

export type Show = (typeof REVIEW_SHOWS)[number];
export type AgreementCell = Exclude<Show, 'all' | 'open'>;
export type Verdict = NonNullable<Note['verdict']>;

/** What an item is known by in the address. */
export function keyOf({ run, sample, epoch }: Pick<ReviewItem, 'run' | 'sample' | 'epoch'>): string {
  return `${run}/${epoch}/${sample}`;
}

/** The last word of each person: what they said before does not count any more. */
export function lastWords(verdicts: readonly Note[]): readonly Note[] {
  const byPerson = new Map<string, Note>();
  for (const note of verdicts.toSorted((a, b) => (a.time < b.time ? -1 : 1))) byPerson.set(note.by, note);
  return [...byPerson.values()];
}

/** In which cells of the agreement an item is: one for each person who judged it. */
export function cellsOf({
  outcome,
  verdicts,
}: Pick<ReviewItem, 'outcome' | 'verdicts'>): readonly AgreementCell[] {
  return lastWords(verdicts).flatMap(({ verdict }): readonly AgreementCell[] => {
    if (verdict === 'unsure') return ['unsure'];
    if (outcome === 'pass') return [verdict === 'pass' ? 'bothPass' : 'onlyScorerPasses'];
    if (outcome === 'fail') return [verdict === 'pass' ? 'onlyPeoplePass' : 'bothFail'];
    return [];
  });
}

export function isShown(item: ReviewItem, show: Show): boolean {
  if (show === 'all') return true;
  return show === 'open' ? item.verdicts.length === 0 : cellsOf(item).includes(show);
}

/**
 * The items in the order in which they were first seen. The server puts what was judged last; on the page nothing must move away under
 * the hands of whoever judges.
 */
export function inSeenOrder(seen: readonly string[], items: readonly ReviewItem[]): readonly ReviewItem[] {
  const places = new Map(seen.map((key, at) => [key, at]));
  const placeOf = (item: ReviewItem) => places.get(keyOf(item)) ?? Number.POSITIVE_INFINITY;
  return items
    .map((item, at) => ({ item, at, place: placeOf(item) }))
    .sort((a, b) => (a.place === b.place ? a.at - b.at : a.place - b.place))
    .map(({ item }) => item);
}

/** The item after this one; with `isOpen`, the next that nobody judged, from the top again when there is none below. */
export function nextItem(
  items: readonly ReviewItem[],
  key: string,
  { isOpen }: { readonly isOpen: boolean },
): ReviewItem | undefined {
  const at = items.findIndex((item) => keyOf(item) === key);
  const after = items.slice(at + 1);
  if (!isOpen) return after[0];
  const isUnjudged = (item: ReviewItem) => item.verdicts.length === 0 && keyOf(item) !== key;
  return after.find(isUnjudged) ?? items.slice(0, Math.max(0, at)).find(isUnjudged) ?? after[0];
}

export function previousItem(items: readonly ReviewItem[], key: string): ReviewItem | undefined {
  return items[items.findIndex((item) => keyOf(item) === key) - 1];
}

/**
 * What one has come from, to go back to: the last of the trail that is not where one is. `left`: the trail without it.
 */
export function backFrom(
  trail: readonly string[],
  here: string,
): { readonly key: string | undefined; readonly left: readonly string[] } {
  const at = trail.findLastIndex((key) => key !== here);
  return { key: trail[at], left: trail.slice(0, Math.max(0, at)) };
}

/** The queue with what was judged in this visit, also where the server tells only the first of it and judged ones come last. */
export function withJudged(
  items: readonly ReviewItem[],
  judged: ReadonlyMap<string, ReviewItem>,
): readonly ReviewItem[] {
  const told = new Set(items.map(keyOf));
  return [...items, ...[...judged].flatMap(([key, item]) => (told.has(key) ? [] : [item]))];
}

/** When a run began, as far as its id tells: runs of one eval and target are told apart by it. */
export function runMoment(run: string): string {
  const [, year, month, day, hour, minute] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)/.exec(run) ?? [];
  if (year === undefined) return run.slice(-6);
  return formatTime(`${year}-${month}-${day}T${hour}:${minute}:00Z`).slice(5, 16);
}

/** As outcomes are called everywhere. */
export function verdictWord(verdict: Note['verdict']): string {
  return verdict === 'pass' || verdict === 'fail' ? outcomeShown(verdict).word : (verdict ?? '');
}

export interface VerdictChoice {
  readonly hotkey: '1' | '2' | '3';
  readonly label: string;
  readonly verdict: Verdict;
}

/** To agree is to say what the scorer said. Where it said neither, there is nothing to agree with: then the verdict itself is chosen. */
export function choicesFor(outcome: Outcome): readonly VerdictChoice[] {
  const unsure: VerdictChoice = { hotkey: '3', label: 'Unsure', verdict: 'unsure' };
  if (outcome === 'pass')
    return [
      { hotkey: '1', label: 'Agree: it passes', verdict: 'pass' },
      { hotkey: '2', label: 'Disagree: it fails', verdict: 'fail' },
      unsure,
    ];
  if (outcome === 'fail')
    return [
      { hotkey: '1', label: 'Agree: it fails', verdict: 'fail' },
      { hotkey: '2', label: 'Disagree: it passes', verdict: 'pass' },
      unsure,
    ];
  return [
    { hotkey: '1', label: 'It passes', verdict: 'pass' },
    { hotkey: '2', label: 'It fails', verdict: 'fail' },
    unsure,
  ];
}

/** From fewer verdicts the figure is chance: two that differ would be "hardly any agreement". */
export const KAPPA_LEAST = 10;

/** The figure in words that are in use for it, or how many verdicts it still takes. */
export function kappaWords(kappa: number | undefined, verdicts: number): string {
  const missing = KAPPA_LEAST - verdicts;
  if (missing > 0) return `κ is told from ${KAPPA_LEAST} verdicts on: ${missing} more`;
  if (kappa === undefined) return 'κ cannot be told: all verdicts are the same';
  if (kappa < 0.2) return 'hardly any agreement beyond chance';
  if (kappa < 0.4) return 'weak agreement';
  if (kappa < 0.6) return 'moderate agreement';
  return kappa < 0.8 ? 'good agreement' : 'very good agreement';
}

/** What was judged by people and by the scorer both. */
export function comparedCount({
  bothPass,
  bothFail,
  onlyPeoplePass,
  onlyScorerPasses,
}: ReviewQueue['agreement']) {
  return bothPass + bothFail + onlyPeoplePass + onlyScorerPasses;
}
