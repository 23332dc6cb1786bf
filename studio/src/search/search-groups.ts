import type { SearchHit } from '../../../src/server/api.ts';

/** A row of the results: the run, a sample of it, or a place where the text is. */
export type SearchRow =
  | { readonly kind: 'run'; readonly hit: SearchHit; readonly hits: number; readonly samples: number }
  | { readonly kind: 'sample'; readonly hit: SearchHit; readonly hits: number }
  | { readonly kind: 'hit'; readonly hit: SearchHit };

interface RunGroup {
  readonly first: SearchHit;
  readonly samples: Map<string, SearchHit[]>;
}

/** Hits by run, then by sample, each in the order in which it was found first. */
export function groupHits(hits: readonly SearchHit[]): readonly SearchRow[] {
  const runs = new Map<string, RunGroup>();
  for (const hit of hits) {
    const run = runs.get(hit.run) ?? { first: hit, samples: new Map<string, SearchHit[]>() };
    if (run.samples.size === 0) runs.set(hit.run, run);
    const key = sampleKey(hit);
    const sample = run.samples.get(key) ?? [];
    if (sample.length === 0) run.samples.set(key, sample);
    sample.push(hit);
  }
  return [...runs.values()].flatMap(({ first, samples }): readonly SearchRow[] => {
    const counts = [...samples.values()];
    const total = counts.reduce((sum, of) => sum + of.length, 0);
    return [
      { kind: 'run', hit: first, hits: total, samples: counts.length },
      ...counts.flatMap(rowsOfSample),
    ];
  });
}

function rowsOfSample(hits: readonly SearchHit[]): readonly SearchRow[] {
  const [first] = hits;
  if (first === undefined) return [];
  const rows = hits.map((hit) => ({ kind: 'hit', hit }) as const);
  return first.sample === undefined ? rows : [{ kind: 'sample', hit: first, hits: hits.length }, ...rows];
}

function sampleKey({ sample, epoch }: SearchHit): string {
  return sample === undefined ? '' : `${typeof sample} ${sample} ${epoch ?? 1}`;
}

export interface SearchCounts {
  readonly hits: number;
  readonly samples: number;
  readonly runs: number;
}

export function countHits(hits: readonly SearchHit[]): SearchCounts {
  return {
    hits: hits.length,
    samples: new Set(
      hits.filter(({ sample }) => sample !== undefined).map((hit) => `${hit.run} ${sampleKey(hit)}`),
    ).size,
    runs: new Set(hits.map(({ run }) => run)).size,
  };
}
