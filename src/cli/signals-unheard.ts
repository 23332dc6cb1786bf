import { nextTurn } from '../base/index.ts';
import { hearNothing } from './signals.ts';

/** Lets a signal be heard that came while modules were loaded, before anything is begun. */
export async function hearPendingSignals(): Promise<void> {
  // One turn takes it from the system, the next has told whoever listens.
  for (let turns = 0; turns < 2; turns++) await nextTurn();
}

/**
 * While code of users is loaded the first signal ends the process, as if nobody listened: code in a loop that never ends keeps us from hearing
 * anything, and nobody could stop it but by SIGKILL. Only where nothing was begun yet.
 */
export async function withSignalsUnheard<T>(work: () => Promise<T>): Promise<T> {
  // One that came already and was told to nobody yet would be told to nobody at all.
  await hearPendingSignals();
  using _unheard = hearNothing();
  return await work();
}
