// Puts a golden case where a test can recover it: see README.md beside this file.

import { createHash } from 'node:crypto';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { ModelUsage } from '../../../src/log/index.ts';

const HERE = dirname(fileURLToPath(import.meta.url));

export interface ExpectedSample {
  readonly id: string | number;
  readonly epoch: number;
  readonly state: 'flushed' | 'completed' | 'running' | 'unstarted';
  readonly inDatabase: boolean;
  /** Null before 0.3.221, whose start rows had none. */
  readonly uuid: string | null;
  readonly attempts: number;
  /** Distinct events of the last attempt, and how many rows they took. */
  readonly events: number;
  readonly eventRows: number;
  readonly eventsByType: Readonly<Record<string, number>>;
  readonly eventIds: readonly string[];
  readonly pendingEventIds: readonly string[];
  /** Every answered model call of every attempt, in order. */
  readonly modelCalls: readonly ExpectedCall[];
  readonly hold: 'model' | 'tool' | 'scorer' | 'solver' | null;
  /** Only of samples that ran at the crash: what the process held in memory. */
  readonly live?: { readonly events: number; readonly messages: number; readonly store: Readonly<Record<string, unknown>> };
}

export interface ExpectedCall {
  readonly attempt: number;
  readonly role: 'main' | 'grader';
  readonly turn: number;
  readonly text: string;
  readonly usage: ModelUsage;
}

export interface BufferedSample {
  readonly id: string;
  readonly epoch: number;
  readonly completed: boolean;
  readonly eventRows: number;
  readonly events: number;
  readonly attachments: number;
  /** Pool rows; null in a database of before 0.3.206. */
  readonly messages: number | null;
  readonly calls: number | null;
}

export interface Expected {
  readonly inspect: string;
  readonly log: string;
  readonly eval: {
    readonly task: string;
    readonly taskId: string;
    readonly evalId: string;
    readonly runId: string;
    readonly created: string;
    readonly sampleIds: readonly (string | number)[];
    readonly epochs: number;
  };
  readonly members: { readonly names: readonly string[]; readonly methods: readonly number[] };
  readonly finished: boolean;
  readonly totals: Readonly<
    Record<'samples' | 'flushed' | 'completed' | 'running' | 'unstarted' | 'events' | 'modelCalls', number>
  >;
  readonly samples: readonly ExpectedSample[];
  readonly database: {
    readonly file: string;
    readonly bytes: Readonly<Record<string, number>>;
    readonly tables: Readonly<Record<string, readonly string[]>>;
    readonly journalMode: string;
    readonly samples: readonly (BufferedSample & { readonly store: unknown })[];
    /** Samples that have events but no row yet: id, epoch, event rows. */
    readonly orphans: readonly (readonly [string, number, number])[];
  } | null;
  readonly filestore: {
    readonly files: readonly string[];
    readonly samples: readonly (BufferedSample & {
      readonly inManifest: boolean;
      readonly manifestSegments: readonly number[];
      readonly segments: readonly number[];
    })[];
  } | null;
}

export interface GoldenCase {
  readonly version: string;
  readonly name: string;
}

export interface Placed {
  readonly log: string;
  readonly logDir: string;
  /** What XDG_DATA_HOME must say. */
  readonly dataDir: string;
  readonly expected: Expected;
}

export interface PlaceOptions {
  readonly database?: boolean;
  readonly filestore?: boolean;
  readonly log?: boolean;
}

/** All cases, by version and name. */
export async function listGoldenCases(): Promise<GoldenCase[]> {
  const versions = (await readdir(HERE, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const found: GoldenCase[] = [];
  for (const { name: version } of versions)
    for (const name of await readdir(join(HERE, version))) found.push({ version, name });
  return found.sort((one, other) => (goldenDir(one) < goldenDir(other) ? -1 : 1));
}

export function goldenDir({ version, name }: GoldenCase): string {
  return join(HERE, version, name);
}

export async function readExpected(golden: GoldenCase): Promise<Expected> {
  return JSON.parse(await readFile(join(goldenDir(golden), 'expected.json'), 'utf8'));
}

/** Copies a case into a folder as Inspect would have left it there; each part can be left out. */
export async function placeGoldenCase(golden: GoldenCase, into: string, parts: PlaceOptions = {}): Promise<Placed> {
  const expected = await readExpected(golden);
  const logDir = join(into, 'logs');
  const dataDir = join(into, 'data');
  const source = goldenDir(golden);
  await mkdir(logDir, { recursive: true });
  if (parts.log !== false) await cp(join(source, 'logs', expected.log), join(logDir, expected.log));
  if (parts.filestore !== false && expected.filestore !== null)
    await cp(join(source, 'logs/.buffer'), join(logDir, '.buffer'), { recursive: true });
  if (parts.database !== false && expected.database !== null) await placeDatabase(source, logDir, dataDir);
  return { log: join(logDir, expected.log), logDir, dataDir, expected };
}

/** Inspect looks for the database in a folder named by the hash of the log folder's address. */
async function placeDatabase(source: string, logDir: string, dataDir: string): Promise<void> {
  const address = pathToFileURL(logDir).href;
  const folder = createHash('sha256').update(address).digest('hex');
  const to = join(dataDir, 'inspect_ai/samplebuffer', folder);
  await mkdir(to, { recursive: true });
  for (const name of await readdir(join(source, 'database'))) {
    const packed = await readFile(join(source, 'database', name));
    await writeFile(join(to, name.replace(/\.br$/, '')), brotliDecompressSync(packed));
  }
}
