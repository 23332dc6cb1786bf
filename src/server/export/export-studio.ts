import { dirname, join } from 'node:path';
import type { Clock, Random } from '../../base/index.ts';
import { type Disk, sweepTemps, tempPathFor } from '../../disk/index.ts';
import type { RunSource } from '../../sources/index.ts';
import { type About, EXPORT_VERSION, type ExportManifest, type RunItem, type SampleId } from '../api.ts';
import { createStudio } from '../create-studio.ts';
import { strictText } from '../strict-text.ts';
import type { Studio } from '../studio.ts';
import { Asking, type Damage } from './asking.ts';
import { chosenSource } from './chosen-source.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { copyApp } from './export-app.ts';
import { writeComparisons } from './write-comparisons.ts';
import { type EvalToWrite, writeCommon, writeEvals, writeRunList } from './write-lists.ts';
import { type RunWritten, writeRun } from './write-run.ts';

export interface ExportOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly sources: readonly RunSource[];
  /** Ids of the runs that are exported. */
  readonly runs: readonly string[];
  /** Those that were named one by one, in that order. */
  readonly named: readonly string[];
  readonly withNotes: boolean;
  /** What is said of the places that the runs come from. */
  readonly about: Pick<About, 'version' | 'places' | 'commit'>;
  /** Where the files of the app are. */
  readonly appDir: string;
  /** What becomes the export: it is not there, or may be replaced. */
  readonly out: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
}

export interface ExportProgress {
  readonly runs: number;
  readonly runsOf: number;
  readonly samples: number;
}

export interface ExportAccount {
  readonly runs: number;
  readonly samples: number;
  readonly events: number;
  readonly comparisons: number;
  readonly files: number;
  readonly bytes: number;
  readonly damage: readonly Damage[];
}

/**
 * Writes the Studio of some runs as files: the app, and what the server would answer, written down.
 *
 * ### Ordering
 * Everything is written into a temporary directory beside `out` and synced; then that gets its name, and the name is synced. So at `out` there is
 * a whole export or what was there before. A crash leaves an orphan with a temporary name, which the next export into the same folder removes.
 */
export async function exportStudio(options: ExportOptions): Promise<ExportAccount> {
  const { disk, out } = options;
  await disk.makeDir(dirname(out));
  await sweepTemps(disk, dirname(out));
  const temp = tempPathFor(out);
  try {
    await disk.makeDir(temp);
    const account = await writeAll(options, temp);
    await putInPlace(disk, temp, out);
    return account;
  } catch (error) {
    await disk.removeTree(temp);
    throw error;
  }
}

/** What was there is put aside first, and taken away last. */
async function putInPlace(disk: Disk, temp: string, out: string): Promise<void> {
  const aside = tempPathFor(out);
  const isThere = (await disk.stat(out)) !== undefined;
  if (isThere) await disk.rename(out, aside);
  try {
    await disk.rename(temp, out);
  } catch (error) {
    if (isThere) await disk.rename(aside, out);
    throw error;
  }
  await disk.syncDir(dirname(out));
  if (isThere) await disk.removeTree(aside);
}

async function writeAll(options: ExportOptions, dir: string): Promise<ExportAccount> {
  const { disk, clock, random, sources, runs, withNotes, signal } = options;
  const app = await copyApp(disk, options.appDir, dir);
  await disk.makeDir(join(dir, 'data'));
  const chosen = { runs: new Set(runs), withNotes };
  const only = await Promise.all(sources.map((source) => chosenSource(source, chosen)));
  await using studio: Studio = createStudio({ sources: only, clock, random });
  await studio.index.whole(signal);
  const writer = new ChunkWriter(disk, join(dir, 'data'));
  const data = await writeData(options, new Asking({ studio, writer, signal }));
  await disk.syncDir(dir);
  return {
    ...data,
    files: app.files + writer.chunks + 1,
    bytes: app.bytes + writer.sizeBytes,
  };
}

async function writeData(
  options: ExportOptions,
  asking: Asking,
): Promise<Omit<ExportAccount, 'files' | 'bytes'>> {
  const { writer } = asking;
  const { rows, items } = await writeRunList(asking);
  const common = await writeCommon(asking, items);
  const written = await writeRuns(options, asking, items);
  const comparisons = await writeComparisons(asking, {
    items,
    named: options.named,
    epochsOf: (run) => written.get(run)?.written.epochs.map(([id, epoch]) => [id, epoch] as const) ?? [],
  });
  await writer.nextChunk();
  const evals = await writeEvals(asking, evalsOf(items, written));
  await writer.nextChunk();
  const places: [string, unknown][] = [];
  for (const [run, { written: one }] of written) places.push([run, await asking.write(one)]);
  const manifest: ExportManifest = {
    format: 'holdfast-export',
    version: EXPORT_VERSION,
    about: { ...options.about, canWrite: false, whyNot: READ_ONLY, isExport: true },
    runs: rows,
    places: await asking.write(places),
    answers: await asking.write([...common, ...comparisons.answers, ...evals]),
    comparisons: await asking.write(comparisons.comparisons),
    chunks: 0,
  };
  await writer.nextChunk();
  await writer.finish(strictText({ ...manifest, chunks: writer.chunks }));
  const all = [...written.values()];
  return {
    runs: items.length,
    samples: all.reduce((sum, one) => sum + one.written.epochs.length, 0),
    events: all.reduce((sum, { events }) => sum + events, 0),
    comparisons: comparisons.comparisons.length,
    damage: all.flatMap(({ damage }) => damage),
  };
}

const READ_ONLY =
  'This is an export: it can be looked at, and nothing can be written. Open the runs with "holdfast studio" where they are kept.';

async function writeRuns(
  { onProgress }: ExportOptions,
  asking: Asking,
  items: readonly RunItem[],
): Promise<ReadonlyMap<string, RunWritten>> {
  const written = new Map<string, RunWritten>();
  let samples = 0;
  for (const { run } of items) {
    const tell = () => onProgress({ runs: written.size, runsOf: items.length, samples });
    tell();
    const onSample = () => {
      samples += 1;
      tell();
    };
    written.set(run, await writeRun(asking, run, onSample));
  }
  return written;
}

function evalsOf(
  items: readonly RunItem[],
  written: ReadonlyMap<string, RunWritten>,
): readonly EvalToWrite[] {
  const known = items.filter(({ facts, removed }) => facts !== undefined && removed !== true);
  const groups = Map.groupBy(known, ({ facts }) => facts?.eval ?? '');
  return [...groups].map(([name, group]) => {
    const runs = group.map(({ run }) => run);
    const all = runs.flatMap((run) => written.get(run) ?? []);
    const ids = new Map<string, SampleId>(
      all.flatMap((one) => one.ids.map((id) => [String(id), id] as const)),
    );
    return { name, runs, scores: [...new Set(all.flatMap(({ scores }) => scores))], ids: [...ids.values()] };
  });
}
