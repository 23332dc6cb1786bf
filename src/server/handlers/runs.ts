import { definedOf } from '../../base/index.ts';
import { commandForRuns, compileRunQuery, RUNS_LISTED, sortRuns } from '../../views/index.ts';
import type { RunItem, RunsPage, RunWords } from '../api.ts';
import type { Call } from '../call.ts';
import { withRepo } from '../commands.ts';
import type { Studio } from '../studio.ts';
import { changeOf, withTrends } from '../trends.ts';

/** Runs, filtered and sorted. Until all sources were read once, the newest as they are. */
export async function runs(call: Call<'runs'>): Promise<RunsPage> {
  const { studio, query, signal } = call;
  const { q, sort, offset, limit } = query;
  const { index, clock } = studio;
  await index.begun(signal);
  // "The last thirty days" are others tomorrow.
  call.sameAs(index.version, /\b(since|before)\b/i.test(q) ? Math.floor(clock.nowMs() / 60_000) : 0);
  const all = index.items();
  const { chosen, wrong } = index.isWhole ? choose(studio, { q, sort }) : newest(studio, q);
  return {
    runs: withTrends(chosen.slice(offset, offset + limit), all),
    offset,
    total: chosen.length,
    all: countShown(all),
    live: withTrends(all.filter(isLive), all),
    index: index.state,
    problems: index.sources().flatMap(({ problem }) => problem ?? []),
    ...definedOf({ wrong }),
    command: commandFor(studio, { q, sort }, chosen.length),
  };
}

/** What may stand in a filter, with how often it does. */
export async function runWords(call: Call<'runWords'>): Promise<RunWords> {
  const { index } = call.studio;
  await index.begun(call.signal);
  call.sameAs(index.version);
  const counts = {
    evals: new Map(),
    targets: new Map(),
    tags: new Map(),
    statuses: new Map(),
  } satisfies Record<keyof RunWords, Map<string, number>>;
  const count = (words: Map<string, number>, word: string) => words.set(word, (words.get(word) ?? 0) + 1);
  for (const { facts, removed } of index.items()) {
    if (!facts || removed) continue;
    count(counts.evals, facts.eval);
    count(counts.targets, facts.target);
    count(counts.statuses, facts.status);
    for (const tag of facts.tags) count(counts.tags, tag);
  }
  return {
    evals: mostFirst(counts.evals),
    targets: mostFirst(counts.targets),
    tags: mostFirst(counts.tags),
    statuses: mostFirst(counts.statuses),
  };
}

interface Chosen {
  readonly chosen: readonly RunItem[];
  readonly wrong?: { readonly at: number; readonly message: string };
}

/** Before all are read, a filter would hide what it has not seen: only what is wrong with it is told. */
function newest({ index, clock }: Studio, q: string): Chosen {
  const { wrong } = compileRunQuery(q, { nowMs: clock.nowMs() });
  return { chosen: index.items().filter(({ removed }) => !removed), ...definedOf({ wrong }) };
}

/** A list is asked for page by page: what was chosen last is kept as long as the index stays what it is. */
const kept = new WeakMap<readonly RunItem[], Map<string, Chosen>>();
const KEPT_MAX = 4;

function choose(
  { index, clock }: Studio,
  { q, sort }: { readonly q: string; readonly sort: string },
): Chosen {
  const all = index.items();
  const minute = Math.floor(clock.nowMs() / 60_000);
  const key = JSON.stringify([q, sort, minute]);
  const known = kept.get(all) ?? new Map<string, Chosen>();
  kept.set(all, known);
  const found = known.get(key) ?? chooseAnew(all, { q, sort, nowMs: clock.nowMs() });
  known.delete(key);
  known.set(key, found);
  if (known.size > KEPT_MAX) known.delete([...known.keys()][0] ?? '');
  return found;
}

function chooseAnew(
  all: readonly RunItem[],
  { q, sort, nowMs }: { readonly q: string; readonly sort: string; readonly nowMs: number },
): Chosen {
  const { matches, wrong } = compileRunQuery(q, { nowMs });
  const left = all.filter(matches);
  const chosen = sortRuns(left, sort, { changeOf: (item) => changeOf(item, all) });
  return { chosen, ...definedOf({ wrong }) };
}

function isLive({ form }: RunItem): boolean {
  return form === 'running';
}

function countShown(all: readonly RunItem[]): number {
  return all.reduce((sum, { removed }) => (removed ? sum : sum + 1), 0);
}

/** It lists fifty unless it is told how many. */
function commandFor(
  studio: Studio,
  asked: { readonly q: string; readonly sort: string },
  total: number,
): string {
  const limit = total > RUNS_LISTED ? total : undefined;
  return withRepo(studio, commandForRuns({ ...asked, sources: placesOf(studio), ...definedOf({ limit }) }));
}

/** The command looks into the results and the logs of its own folder by itself; what else is served has to be named. Of a commit it knows nothing. */
function placesOf({ sources, results, pinned }: Studio): readonly string[] {
  if (pinned) return [];
  const own = results && `${results.dir}#${results.ref.replace(/^refs\/heads\//, '')}`;
  return sources.filter(({ kind, place }) => kind !== 'journals' && place !== own).map(({ place }) => place);
}

function mostFirst(counts: ReadonlyMap<string, number>): RunWords['evals'] {
  return [...counts]
    .map(([word, count]) => ({ word, count }))
    .sort((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1));
}
