import type { ComparedSample, RunItem, SampleItem } from '../server/api.ts';
import { flipsOf, outcomeOf } from './outcomes.ts';
import { scoreNamed } from './run-values.ts';
import { metadataAt } from './sample-query.ts';
import { costOf, durationOf, meanScore, messagesOf, retriesOf, tokensOf, turnsOf } from './sample-values.ts';
import { type ParsedSort, parseSort, type SortKeys, sortRows } from './sort-rows.ts';

export interface RunSortOptions {
  /** How much better than the run before it is; by default as the row itself says. */
  readonly changeOf?: (item: RunItem) => number | undefined;
}

function runKeys({ changeOf = ({ previous }) => previous?.difference }: RunSortOptions): SortKeys<RunItem> {
  return {
    keys: {
      eval: ({ facts }) => facts?.eval,
      target: ({ facts }) => facts?.target,
      status: ({ facts }) => facts?.status,
      experiment: ({ facts }) => facts?.experiment,
      tag: ({ facts }) => facts?.tags[0],
      score: (item) => scoreNamed(item, undefined)?.value,
      change: changeOf,
      cost: ({ facts }) => facts?.usd,
      time: ({ facts }) => facts?.durationMs,
      samples: ({ facts }) => facts?.samples.total,
      errors: ({ facts }) => facts?.samples.errored,
      passed: ({ facts }) => facts?.samples.passed,
      tokens: ({ facts }) => facts?.tokens?.total,
      when: ({ run }) => run,
      commit: ({ facts }) => facts?.code?.commit,
      branch: ({ facts }) => facts?.code?.branch,
      by: ({ facts }) => facts?.by?.user,
      form: ({ form }) => form,
      place: ({ place }) => place,
      run: ({ run }) => run,
    },
    named: (key, name) => (key === 'score' ? (item) => scoreNamed(item, name)?.value : undefined),
  };
}

export function parseRunSort(sort: string, options: RunSortOptions = {}): ParsedSort<RunItem> {
  return parseSort(sort, runKeys(options));
}

/** Newest first unless something else is said. */
export function sortRuns(
  items: readonly RunItem[],
  sort: string,
  options: RunSortOptions = {},
): readonly RunItem[] {
  const parsed = parseRunSort(sort, options);
  return parsed.order.length > 0 ? sortRows(items, parsed) : newestFirst(items);
}

function newestFirst(items: readonly RunItem[]): readonly RunItem[] {
  const isSo = items.every(({ run }, at) => at === 0 || (items[at - 1] as RunItem).run >= run);
  return isSo ? items : items.toSorted((a, b) => (a.run < b.run ? 1 : a.run > b.run ? -1 : 0));
}

/** As people look for trouble: what failed before what passed. */
const OUTCOME_RANKS = [
  'error',
  'fail',
  'partial',
  'number',
  'pass',
  'unscored',
  'running',
  'interrupted',
  'missing',
];

function sampleKeys(score: string | undefined): SortKeys<SampleItem> {
  return {
    keys: {
      number: ({ number }) => number,
      id: ({ id }) => id,
      outcome: (item) => OUTCOME_RANKS.indexOf(outcomeOf(item)),
      score: (item) => meanScore(item, score),
      passed: ({ passed }) => passed,
      input: ({ input }) => input,
      target: ({ target }) => target,
      error: ({ epochs }) => epochs.find(({ error }) => error !== undefined)?.error,
      limit: ({ epochs }) => epochs.find(({ limit }) => limit !== undefined)?.limit,
      cost: costOf,
      tokens: tokensOf,
      turns: turnsOf,
      messages: messagesOf,
      time: durationOf,
      retries: retriesOf,
      epochs: ({ epochs }) => epochs.length,
      flips: flipsOf,
    },
    named: (key, name) => {
      if (key === 'score') return (item) => meanScore(item, name);
      return key === 'metadata' ? (item) => asKey(metadataAt(item.metadata, name)) : undefined;
    },
  };
}

function asKey(value: unknown): string | number | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

export function parseSampleSort(
  sort: string,
  { score }: { readonly score?: string | undefined } = {},
): ParsedSort<SampleItem> {
  return parseSort(sort, sampleKeys(score));
}

/** In the run's own order unless something else is said. `score` names the one that decides. */
export function sortSamples(
  items: readonly SampleItem[],
  sort: string,
  options: { readonly score?: string | undefined } = {},
): readonly SampleItem[] {
  return sortRows(items, parseSampleSort(sort, options));
}

const HOW: readonly ComparedSample['is'][] = ['regressed', 'improved', 'only in some', 'same'];

const COMPARED: SortKeys<ComparedSample> = {
  keys: {
    id: ({ id }) => id,
    input: ({ input }) => input,
    is: ({ is }) => HOW.indexOf(is),
    difference: ({ difference }) => difference,
    cost: ({ cells }) => changeOf(cells.map(({ usd }) => usd ?? undefined)),
    turns: ({ cells }) => changeOf(cells.map(({ turns }) => turns)),
    time: ({ cells }) => changeOf(cells.map(({ durationMs }) => durationMs)),
  },
};

/** How much more the last run has than the first. */
function changeOf(values: readonly (number | undefined)[]): number | undefined {
  const first = values[0];
  const last = values.at(-1);
  return first === undefined || last === undefined ? undefined : last - first;
}

/** What changed comes first unless something else is said. */
export function sortCompared(items: readonly ComparedSample[], sort: string): readonly ComparedSample[] {
  return sortRows(items, parseSort(sort === '' ? 'is' : sort, COMPARED));
}

export const RUN_SORT_KEYS: readonly string[] = Object.keys(runKeys({}).keys);
