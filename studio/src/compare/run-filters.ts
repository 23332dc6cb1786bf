import { letterOf } from '../ui/run-letters.ts';

/** Filters of the table, each written once, so that a button knows whether it is on. */
export const QUICK_FILTERS = [
  { label: 'Regressed', query: 'is:regressed', hotkey: undefined },
  { label: 'Improved', query: 'is:improved', hotkey: undefined },
  { label: 'Flips', query: 'is:flipped', hotkey: undefined },
  { label: 'Errors', query: 'is:error', hotkey: undefined },
  { label: 'Only in some', query: 'is:unaligned', hotkey: undefined },
] as const;

export function improvedQuery(index: number): string {
  return `up:${letterOf(index).toLowerCase()}`;
}

export function regressedQuery(index: number): string {
  return `down:${letterOf(index).toLowerCase()}`;
}
