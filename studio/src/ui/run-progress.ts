import type { RunFacts } from '../../../src/server/api.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** 0 to 1. */
  readonly share: number;
  /** At the pace so far; undefined before there is one. */
  readonly leftMs: number | undefined;
}

export function progressOf({ samples, start }: RunFacts, nowMs: number): Progress {
  const { completed, errored, total } = samples;
  const done = completed + errored;
  const pastMs = nowMs - Date.parse(start);
  const hasPace = done > 0 && done < total && pastMs > 0;
  return {
    done,
    total,
    share: total === 0 ? 0 : Math.min(1, done / total),
    leftMs: hasPace ? (pastMs / done) * (total - done) : undefined,
  };
}
