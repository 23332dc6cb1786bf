import type { DatabaseSync } from 'node:sqlite';
import type { JournalVersion } from '../schema.ts';
export interface Salvage {
  readonly db: DatabaseSync;
  readonly version: JournalVersion;
}
export function salvageDatabase(_path: string): Salvage | undefined {
  return undefined;
}
