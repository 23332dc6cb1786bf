import { join } from 'node:path';
import { type Digest, messageOf, toJson } from '../base/index.ts';
import { createFile, type Disk } from '../disk/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { reportsDir } from './layout.ts';
import type { Producer } from './manifest.ts';

/**
 * What became of a generation in a merge [ART-12]:
 * - `installed`: it came, and is the current one of its recipe now;
 * - `kept-current`: it came, and the current one stays another;
 * - `superseded`: it came, and another one here takes its place;
 * - `already-here`: it was here;
 * - `incomplete`: its manifest or a file of it is missing; `corrupt`: something of it is not what it should be;
 * - `conflicting`: another generation here has its id; that one stays;
 * - `never-seen`: it was expected, is not here, and no source has it;
 * - `failed`: something else went wrong: the reason says what.
 */
export type MergeState =
  | 'installed'
  | 'already-here'
  | 'kept-current'
  | 'superseded'
  | 'incomplete'
  | 'corrupt'
  | 'never-seen'
  | 'conflicting'
  | 'failed';

export const MERGE_STATES: readonly MergeState[] = [
  'installed',
  'kept-current',
  'superseded',
  'already-here',
  'incomplete',
  'corrupt',
  'conflicting',
  'never-seen',
  'failed',
];

export interface MergeEntry {
  /** `<kind>/<key>`; where no manifest can be read, by the names of the folders that it lies in. */
  readonly unit: string;
  /** Null for a unit that was never seen, when no recipe of it is known. */
  readonly recipe: string | null;
  /** Null for a unit that was never seen. */
  readonly generation: string | null;
  readonly digest: Digest | null;
  readonly state: MergeState;
  /** Which source it came from, or was looked for in. */
  readonly source: string | null;
  readonly files: number;
  readonly bytes: number;
  readonly producer: Producer | null;
  /** Why, wherever something is not as it should be. */
  readonly reason?: string;
}

/** A recipe whose current generation is another one than before. */
export interface CurrentChange {
  readonly unit: string;
  readonly recipe: string;
  readonly from: string | null;
  readonly to: string;
}

export interface SourceReport {
  readonly name: string;
  /** `absent`: there is no such folder. `failed`: it cannot be listed, which says nothing about what it holds. */
  readonly state: 'read' | 'absent' | 'failed';
  readonly generations: number;
  readonly reason?: string;
}

export interface MergeReport {
  readonly format: 1;
  readonly id: string;
  readonly created: string;
  readonly sources: readonly SourceReport[];
  readonly entries: readonly MergeEntry[];
  readonly changes: readonly CurrentChange[];
}

/** Writes a report, which is never changed, to each folder. What fails is told and undoes nothing. */
export async function writeReport(
  disk: Disk,
  report: MergeReport,
  { cacheDir, alsoIn = [] }: { readonly cacheDir: string; readonly alsoIn?: readonly string[] },
): Promise<readonly string[]> {
  const bytes = Buffer.from(`${canonicalJson(toJson(report))}\n`);
  const places = [
    join(reportsDir(cacheDir), `${report.id}.json`),
    ...alsoIn.map((dir) => join(dir, `artifacts-${report.id}.json`)),
  ];
  const failures: string[] = [];
  for (const path of places) {
    try {
      await disk.makeDir(join(path, '..'));
      await createFile(disk, path, bytes);
    } catch (error) {
      failures.push(`The report could not be written to ${path}: ${messageOf(error)}`);
    }
  }
  return failures;
}

/** True when everything that was expected or seen is here now. */
export function isComplete({ sources, entries }: MergeReport): boolean {
  const isGood = (state: MergeState) => GOOD.has(state);
  return sources.every(({ state }) => state !== 'failed') && entries.every(({ state }) => isGood(state));
}

const GOOD: ReadonlySet<MergeState> = new Set(['installed', 'kept-current', 'superseded', 'already-here']);
