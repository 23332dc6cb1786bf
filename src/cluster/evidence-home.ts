import { dirname, join, relative } from 'node:path';
import {
  digestOf,
  inOrder,
  isJsonObject,
  type JsonObject,
  messageOf,
  stringifyJson,
  toJson,
  tryParseJson,
} from '../base/index.ts';
import { type Disk, safeJoin, sweepTemps, tempPathFor } from '../disk/index.ts';
import type { StateDir } from '../journal/index.ts';
import type { LeftOut } from './evidence-part.ts';
import { EvidenceFiles, folderNameOf, listEvidence, readPart, type StoredEvidence } from './evidence-read.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';

/** What came home of the evidence of a run, and what is missing. */
export interface EvidenceReport {
  /** Where it is, from the folder of the log: a folder `<job>.<lease>.<writer>` for each attempt that left some. */
  readonly folder: string;
  /** False when the bucket could not be read, or something not be written here: the next fetch brings the rest. */
  readonly isWhole: boolean;
  readonly attempts: number;
  readonly files: number;
  readonly bytes: number;
  /** Leases that are under way: theirs comes when they have ended. */
  readonly underWay: number;
  /** Of texts that were too long. */
  readonly cutBytes: number;
  /** Files that were not kept. */
  readonly leftOut: number;
  /** What workers could not store in time. */
  readonly unstoredBytes: number;
  /** Sentences about what was stored and cannot be used. */
  readonly problems: readonly string[];
}

export interface EvidenceHomeOptions {
  readonly disk: Disk;
  readonly place: SharedPlace;
  readonly state: StateDir;
}

const AT_A_TIME = 16;
/** Says what lies beside it, and that all of it is there. */
const ABOUT_FILE = 'evidence.json';

/** Brings home the evidence of all leases that have ended. What is here is never changed; nothing of it can fail the rest of a fetch. */
export async function bringEvidenceHome(
  shared: SharedRun,
  options: EvidenceHomeOptions,
): Promise<EvidenceReport> {
  const { place, state } = options;
  const tally = new HomeTally(shared);
  const workDir = state.workDir(shared.run);
  try {
    const stored = await listEvidence(place, shared.run);
    const ended = stored.filter(({ job, n }) => endOf(shared, job, n) !== undefined);
    tally.underWay = stored.length - ended.length;
    await sweepTemps(options.disk, workDir);
    const work = (one: StoredEvidence) => bringOne(one, { ...options, shared, workDir });
    for await (const brought of inOrder(ended, { atATime: AT_A_TIME, work })) tally.add(brought);
  } catch (error) {
    // The bucket went away: the log is worth more than its evidence, and the next fetch brings the rest.
    tally.isWhole = false;
    tally.problems.push(`The evidence is not all here: ${messageOf(error)}`);
  }
  return tally.report(relative(dirname(state.path), workDir));
}

function endOf(shared: SharedRun, job: StoredEvidence['job'], n: number) {
  return shared.leasesOf(job).find(({ begun }) => begun.n === n)?.ended;
}

interface Brought {
  /** False when this machine did not take it: the bucket has the only copy. */
  readonly isWhole: boolean;
  readonly files: number;
  readonly bytes: number;
  readonly leftOut: number;
  readonly problems: readonly string[];
}

interface Home extends EvidenceHomeOptions {
  readonly shared: SharedRun;
  readonly workDir: string;
}

async function bringOne(stored: StoredEvidence, home: Home): Promise<Brought> {
  const { disk, workDir } = home;
  const here = await placeFor(stored, home);
  if (here.about) return here.about;
  const temp = tempPathFor(join(workDir, folderNameOf(stored)));
  const read = await readAll(stored, home);
  try {
    await disk.makeDir(temp, { isSynced: false });
    const brought = await writeAll(stored, read, { ...home, temp });
    await moveInto(disk, temp, here.path);
    return brought;
  } catch (error) {
    // A full disk, or one that may not be written: what is in the bucket stays there, and the next fetch brings it.
    const problem = `The evidence ${folderNameOf(stored)} could not be written here: ${messageOf(error)}`;
    return { ...NOTHING, isWhole: false, problems: [problem] };
  } finally {
    await disk.removeTree(temp);
  }
}

/** Another fetch may have been quicker: it brought the same. */
async function moveInto(disk: Disk, temp: string, path: string): Promise<void> {
  try {
    await disk.rename(temp, path);
  } catch (error) {
    if (!(await disk.stat(path))) throw error;
  }
}

async function writeAll(
  stored: StoredEvidence,
  read: ReadEvidence,
  { disk, shared, temp }: Home & { readonly temp: string },
): Promise<Brought> {
  const problems = [...read.problems];
  let [files, bytes] = [0, 0];
  for (const file of read.files) {
    const other = await writeSomewhere(disk, temp, file);
    if (other) problems.push(`${file.path} of ${folderNameOf(stored)} is here as ${other}`);
    files++;
    bytes += file.bytes.length;
  }
  const { job, n, writer, keys } = stored;
  const about = {
    ...{ job, n, writer, sample: read.sample ?? null, status: endOf(shared, job, n)?.status ?? null },
    ...{ parts: keys.length, files, bytes, leftOut: read.leftOut, problems },
  };
  await writeNew(disk, join(temp, ABOUT_FILE), Buffer.from(`${stringifyJson(toJson(about))}\n`));
  return { isWhole: true, files, bytes, leftOut: read.leftOut.length, problems };
}

/** Gives another name where this machine does not take its own: it is too long, leads out, or is a folder of another file. */
async function writeSomewhere(
  disk: Disk,
  temp: string,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
): Promise<string | undefined> {
  try {
    await writeNew(disk, safeJoin(temp, path), bytes);
    return undefined;
  } catch (error) {
    const other = `renamed/${digestOf(path).slice(0, 16)}`;
    try {
      await writeNew(disk, join(temp, other), bytes);
    } catch {
      throw error; // It was not the name.
    }
    return `${other}: ${messageOf(error)}`;
  }
}

/** A worker that was declared lost may have written more since the last fetch: that gets a folder of its own. */
async function placeFor(stored: StoredEvidence, { disk, workDir }: Home): Promise<Place> {
  const name = folderNameOf(stored);
  for (const path of [join(workDir, name), join(workDir, `${name}.${stored.keys.length}`)]) {
    const about = await readAbout(disk, path);
    if (!about) return { path };
    if (about.parts === stored.keys.length) return { path, about };
  }
  return { path: join(workDir, `${name}.${stored.keys.length}`), about: NOTHING };
}

interface Place {
  readonly path: string;
  /** What is here already. */
  readonly about?: Brought;
}

const NOTHING: Brought = { isWhole: true, files: 0, bytes: 0, leftOut: 0, problems: [] };

/** Undefined when there is no such folder; one without a word about it is somebody else's, and is left alone. */
async function readAbout(disk: Disk, path: string) {
  if (!(await disk.stat(path))) return undefined;
  const about = readObject(await disk.read(join(path, ABOUT_FILE)));
  const { parts, files, bytes, leftOut } = about;
  const count = (value: unknown) => (typeof value === 'number' ? value : 0);
  const left = Array.isArray(leftOut) ? leftOut.length : 0;
  const problems = Array.isArray(about.problems) ? about.problems.map(String) : [];
  const counts = { parts: count(parts), files: count(files), bytes: count(bytes), leftOut: left };
  return { ...counts, isWhole: true, problems };
}

function readObject(bytes: Uint8Array | undefined): JsonObject {
  const value = bytes && tryParseJson(bytes);
  return isJsonObject(value) ? value : {};
}

interface ReadEvidence {
  readonly files: EvidenceFiles;
  readonly leftOut: readonly LeftOut[];
  readonly problems: readonly string[];
  readonly sample?: unknown;
}

async function readAll({ keys }: StoredEvidence, { place }: Home): Promise<ReadEvidence> {
  const files = new EvidenceFiles();
  const leftOut: LeftOut[] = [];
  const problems: string[] = [];
  let sample: unknown;
  for (const key of keys) {
    const part = await readPart(place, key);
    if (typeof part === 'string') problems.push(part);
    else {
      files.add(part);
      leftOut.push(...part.leftOut);
      sample = part.sample ?? sample;
    }
  }
  return { files, leftOut, problems, sample };
}

async function writeNew(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  await disk.makeDir(dirname(path), { isSynced: false });
  await using file = await disk.open(path, 'create');
  await file.write(bytes, 0);
}

class HomeTally {
  underWay = 0;
  isWhole = true;
  readonly problems: string[] = [];
  readonly #counts = { attempts: 0, files: 0, bytes: 0, leftOut: 0 };
  readonly #said = { cutBytes: 0, unstoredBytes: 0 };

  /** What was cut or never stored only the ends of leases know. */
  constructor(shared: SharedRun) {
    for (const job of shared.jobs())
      for (const { ended } of shared.leasesOf(job)) {
        this.#said.cutBytes += ended?.evidence?.cutBytes ?? 0;
        this.#said.unstoredBytes += ended?.evidence?.unstoredBytes ?? 0;
      }
  }

  add({ isWhole, files, bytes, leftOut, problems }: Brought): void {
    if (isWhole) this.#counts.attempts++;
    else this.isWhole = false;
    this.#counts.files += files;
    this.#counts.bytes += bytes;
    this.#counts.leftOut += leftOut;
    this.problems.push(...problems);
  }

  report(folder: string): EvidenceReport {
    const { underWay, isWhole, problems } = this;
    return { folder, isWhole, ...this.#counts, underWay, ...this.#said, problems };
  }
}
