import type { FindLine } from '../../../../src/server/api.ts';

export type FindHit = FindLine['hits'][number];

/** What is known of a search so far. */
export interface Found {
  readonly hits: readonly FindHit[];
  /** 0 to 1. */
  readonly searched: number;
  readonly isDone: boolean;
  /** False when there are more than are told. */
  readonly isAll: boolean;
}

export const NOTHING_FOUND: Found = { hits: [], searched: 0, isDone: false, isAll: true };

export function withLine(found: Found, line: FindLine): Found {
  return {
    hits: line.hits.length === 0 ? found.hits : [...found.hits, ...line.hits],
    searched: line.of === 0 ? 1 : line.scanned / line.of,
    isDone: line.isDone,
    isAll: line.isAll,
  };
}

/** "3 of ≥ 120 · 62 % searched" */
export function saidOf({ hits, searched, isDone, isAll }: Found, current: number | undefined): string {
  const share = `${Math.floor(searched * 100)} % searched`;
  if (hits.length === 0) return isDone ? 'Not found' : share;
  const least = isDone && isAll ? '' : '≥ ';
  const place = current === undefined ? '' : `${current + 1} of `;
  return `${place}${least}${hits.length}${isDone ? '' : ` · ${share}`}`;
}

/** The first hit at or after an event; the first of all when there is none. */
export function firstFrom(hits: readonly FindHit[], event: number): number | undefined {
  const at = hits.findIndex((hit) => hit.event >= event);
  return at >= 0 ? at : hits.length > 0 ? 0 : undefined;
}

/** Around and around. */
export function nextHit(count: number, current: number | undefined, step: 1 | -1): number | undefined {
  if (count === 0) return undefined;
  return ((current ?? (step > 0 ? -1 : 0)) + step + count) % count;
}
