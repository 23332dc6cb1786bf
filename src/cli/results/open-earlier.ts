import { Lenders, type ResultsStore } from '../../results/index.ts';
import { resultsIfThere } from '../logs/named-log.ts';
import type { Terminal } from '../terminal.ts';
import type { ResultsFlags } from './results-place.ts';

/** The results of a project, and what runs may take from them. */
export interface EarlierResults {
  readonly store: ResultsStore;
  readonly lenders: Lenders;
}

/** Undefined where nobody keeps any. */
export async function openEarlier(
  flags: ResultsFlags,
  terminal: Terminal,
): Promise<EarlierResults | undefined> {
  const store = await resultsIfThere(flags, terminal);
  return store && { store, lenders: new Lenders(store) };
}
