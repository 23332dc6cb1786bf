import { useRef } from 'react';
import type { RunFacts } from '../../../src/server/api.ts';

export interface Progress {
  readonly done: number;
  readonly total: number;
  /** 0 to 1. */
  readonly share: number;
  /** At the pace so far; undefined before there is one. */
  readonly leftMs: number | undefined;
}

/** So many samples were done at a moment that somebody looked. */
export interface Seen {
  readonly ms: number;
  readonly done: number;
}

export function progressOf(
  { samples, start }: RunFacts,
  nowMs: number,
  seen: readonly Seen[] = [],
): Progress {
  const { completed, errored, total } = samples;
  const done = completed + errored;
  const each = sampleMs(seen, { done, nowMs }) ?? (nowMs - Date.parse(start)) / done;
  const hasPace = done > 0 && done < total && each > 0;
  return {
    done,
    total,
    share: total === 0 ? 0 : Math.min(1, done / total),
    leftMs: hasPace ? each * (total - done) : undefined,
  };
}

/** The pace of the last samples says more than that of all: some were kept from before, and a provider may have slowed down. */
const LAST_SAMPLES = 20;
const LAST_MS = 300_000;
const SAMPLES_MIN = 3;

/** What a sample takes lately; undefined until some were seen to end. */
function sampleMs(
  seen: readonly Seen[],
  now: { readonly done: number; readonly nowMs: number },
): number | undefined {
  const first = seen[0];
  if (first === undefined) return undefined;
  const ended = now.done - first.done;
  return ended < SAMPLES_MIN ? undefined : (now.nowMs - first.ms) / ended;
}

/** With what is seen now; without what is too long ago to say anything. */
export function withSeen(seen: readonly Seen[], now: Seen): readonly Seen[] {
  const last = seen.at(-1);
  if (last?.done === now.done) return seen;
  // Another run, or one that was begun anew.
  if (last !== undefined && last.done > now.done) return [now];
  const next = [...seen, now];
  const isNeeded = ({ ms, done }: Seen) => now.ms - ms <= LAST_MS && now.done - done <= LAST_SAMPLES;
  const from = next.findIndex(isNeeded);
  return next.slice(Math.min(from, next.length - 2));
}

/** The progress of a run that is looked at: the longer, the better is known what its samples take now. */
export function useProgress(facts: RunFacts, nowMs: number): Progress {
  const seen = useRef<readonly Seen[]>([]);
  const { completed, errored } = facts.samples;
  seen.current = withSeen(seen.current, { ms: nowMs, done: completed + errored });
  return progressOf(facts, nowMs, seen.current);
}
