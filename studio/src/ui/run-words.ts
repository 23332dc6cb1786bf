import type { RunItem } from '../../../src/server/api.ts';

/** What a run is called: its eval and target; where it cannot be read, its name. */
export function nameOfRun({ facts, name }: RunItem): string {
  return facts === undefined ? name : `${facts.eval} · ${facts.target}`;
}

/** The first seven characters, as git says them. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/** `11-14`: day and month are enough beside each other. */
export function shortDate(time: string): string {
  return time.slice(5, 10);
}
