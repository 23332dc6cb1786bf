import {
  isComplete,
  type KeptReport,
  MERGE_STATES,
  type MergeEntry,
  type MergeReport,
} from '../../artifacts/index.ts';
import { DamageError, definedOf, UsageError } from '../../base/index.ts';
import type { MergeReportsPage, MergeReportView } from '../api.ts';
import type { Call } from '../call.ts';
import { cacheOf } from './artifacts.ts';

type ReportRow = MergeReportsPage['reports'][number];

/** Merges into the warm cache, the latest first. */
export async function mergeReports({ studio, query }: Call<'mergeReports'>): Promise<MergeReportsPage> {
  const { offset, limit } = query;
  const { artifacts: cache } = studio;
  if (!cache) return { cache: null, reports: [], offset, total: 0 };
  const ids = await cache.reportIds();
  const reports: ReportRow[] = [];
  for (const id of ids.slice(offset, offset + limit)) {
    const kept = await cache.report(id);
    if (kept) reports.push(rowOf(kept));
  }
  return { cache: cache.dir, reports, offset, total: ids.length };
}

export async function mergeReport({ studio, params }: Call<'mergeReport'>): Promise<MergeReportView> {
  const cache = cacheOf(studio);
  const id = params.report ?? '';
  const kept = await cache.report(id);
  if (!kept)
    throw new UsageError({
      code: 'E_MERGE_UNKNOWN',
      message: `The warm cache has no report of a merge ${id.slice(0, 100)}.`,
      hint: 'Look at the list of merges.',
    });
  if ('reason' in kept)
    throw new DamageError({
      code: 'E_MERGE_DAMAGED',
      message: `The report of the merge ${id} in ${cache.dir} cannot be read: ${kept.reason}.`,
      hint: 'What was merged is in the cache all the same: look at the list of artifacts.',
    });
  const { report } = kept;
  const { recipes } = await cache.look();
  const here = new Set(recipes.map(({ recipe }): string => recipe));
  const order = (state: MergeEntry['state']) => BAD_FIRST.indexOf(state);
  return {
    id,
    created: report.created,
    isComplete: isComplete(report),
    counts: countsOf(report),
    sources: report.sources.map((source) => ({ ...source })),
    entries: report.entries
      .toSorted((a, b) => order(a.state) - order(b.state))
      .map(({ unit, recipe, generation, state, source, files, bytes, producer, reason }) => ({
        ...{ unit, recipe, generation, state, source, files, bytes },
        ...definedOf({ run: producer?.run, reason }),
        isHere: recipe !== null && here.has(recipe),
      })),
    changes: report.changes.map((change) => ({ ...change })),
  };
}

const BAD_FIRST: readonly MergeEntry['state'][] = [
  'corrupt',
  'incomplete',
  'conflicting',
  'failed',
  'never-seen',
  'installed',
  'kept-current',
  'superseded',
  'already-here',
];

function rowOf(kept: KeptReport): ReportRow {
  const { id } = kept;
  if ('reason' in kept)
    return { id, sources: [], entries: 0, changes: 0, counts: [], isComplete: false, damage: kept.reason };
  const { report } = kept;
  return {
    id,
    created: report.created,
    sources: report.sources.map(({ name }) => name),
    entries: report.entries.length,
    changes: report.changes.length,
    counts: countsOf(report),
    isComplete: isComplete(report),
  };
}

function countsOf({ entries }: MergeReport): ReportRow['counts'] {
  const counts = Map.groupBy(entries, ({ state }) => state);
  return MERGE_STATES.flatMap((state) => {
    const count = counts.get(state)?.length ?? 0;
    return count === 0 ? [] : [{ state, count }];
  });
}
