import { z } from 'zod';
import { type Json, parseJson, stringifyJson } from '../base/index.ts';
import {
  type CatFile,
  changedFiles,
  type ImportFile,
  importCommit,
  type ObjectId,
  type Remote,
  trackingRef,
} from '../git/index.ts';
import type { ResultsPorts } from './change-results.ts';
import { FORMAT_FILE, FORMAT_TEXT, isDay } from './layout.ts';
import { ResultsTree } from './results-tree.ts';
import { readTree } from './tree-union.ts';

/** [RES-12] What says that a branch goes on where another one was archived. */
export const ARCHIVE_FILE = 'archive.json';

const archive = z.object({
  version: z.literal(1),
  /** Runs of days before this one are in the archive only. */
  before: z.string(),
  branch: z.string(),
  commit: z.string(),
});
export type Archive = z.infer<typeof archive>;

/** `holdfast/results`, `holdfast/results-2`, `holdfast/results-3` … */
function branchNumbered(base: string, number: number): string {
  return number === 1 ? base : `${base}-${number}`;
}

/** The newest branch of the results, here or in what was fetched [RES-12]. */
export async function newestBranch(
  objects: CatFile,
  base: string,
  remotes: readonly Pick<Remote, 'name'>[],
): Promise<string> {
  for (let number = 1; ; number++) {
    const next = branchNumbered(base, number + 1);
    const names = [next, ...remotes.map(({ name }) => trackingRef({ remote: name, ref: next }))];
    const found = await Promise.all(names.map((name) => objects.info(`${name}^{commit}`)));
    if (found.every((one) => one === undefined)) return branchNumbered(base, number);
  }
}

/** The archive that a branch goes on from; undefined when it is the first. */
export async function archiveOf(tree: ResultsTree, objects: CatFile): Promise<Archive | undefined> {
  const file = (await tree.folder([])).find(({ name }) => name === ARCHIVE_FILE);
  const [id] = file?.ids ?? [];
  const blob = id === undefined ? undefined : await objects.object(id);
  if (!blob) return undefined;
  const read = archive.safeParse(parseJson(blob.bytes.toString('utf8')) satisfies Json);
  return read.success ? read.data : undefined;
}

/** What was archived, if it is here. */
export async function archivedTree(ports: ResultsPorts, tree: ResultsTree): Promise<ResultsTree | undefined> {
  const from = await archiveOf(tree, ports.objects);
  return from && ResultsTree.read(ports, [from.commit]);
}

export interface ArchivePlan {
  readonly before: string;
  readonly days: number;
  readonly runs: number;
  /** The branch that stays as it is, and the one that goes on without those runs. */
  readonly archived: string;
  readonly next: string;
}

export async function planArchive(
  ports: ResultsPorts,
  { before, base }: { readonly before: string; readonly base: string },
): Promise<ArchivePlan> {
  const tree = await ResultsTree.read(ports, [ports.ref]);
  const days = ((await tree?.days()) ?? []).filter((day) => day < before);
  let runs = 0;
  for (const day of days) runs += (await tree?.runsOf(day))?.length ?? 0;
  const number = ports.ref === base ? 1 : Number(ports.ref.slice(base.length + 1));
  return { before, days: days.length, runs, archived: ports.ref, next: branchNumbered(base, number + 1) };
}

/**
 * Begins a new branch without the runs of days before one. Nothing is rewritten and nothing is forced: the branch that was stays, under its name, and
 * can be moved or deleted by whoever wants its history gone.
 */
export async function applyArchive(ports: ResultsPorts, plan: ArchivePlan): Promise<ObjectId | undefined> {
  const { git, objects, ref } = ports;
  const commit = await objects.info(`${ref}^{commit}`);
  const root = commit && (await objects.info(`${commit.id}^{tree}`));
  if (!commit || !root) return undefined;
  const about: Archive = {
    version: 1,
    before: plan.before,
    branch: plan.archived.replace(/^refs\/heads\//, ''),
    commit: commit.id,
  };
  return importCommit(git, {
    ref: plan.next,
    from: undefined,
    message: `Go on without the runs before ${plan.before}, which ${about.branch} keeps\n`,
    author: ports.author(),
    seconds: Math.floor(ports.clock.nowMs() / 1_000),
    files: [
      { path: FORMAT_FILE, content: Buffer.from(FORMAT_TEXT, 'utf8') },
      { path: ARCHIVE_FILE, content: Buffer.from(`${stringifyJson(about)}\n`, 'utf8') },
      ...(await daysFrom(objects, root.id, plan.before)),
    ],
  });
}

async function daysFrom(objects: CatFile, root: ObjectId, before: string): Promise<readonly ImportFile[]> {
  const files: ImportFile[] = [];
  for (const folder of await readTree(objects, root)) {
    if (folder.kind !== 'tree') continue;
    for (const { name, kind, id } of await readTree(objects, folder.id)) {
      if (kind === 'tree' && isDay(name) && name >= before)
        files.push({ path: `${folder.name}/${name}`, content: { id, kind } });
    }
  }
  return files;
}

/**
 * What was published into the archived branch after it was archived, by somebody who did not know: it belongs into the new one. Empty when there is
 * nothing, or when nobody here can tell.
 */
export async function lateFiles(ports: ResultsPorts, tree: ResultsTree): Promise<readonly ImportFile[]> {
  const from = await archiveOf(tree, ports.objects);
  const old = from && (await ports.objects.info(`refs/heads/${from.branch}^{commit}`));
  if (!from || !old || old.id === from.commit) return [];
  const commit = await ports.objects.info(`${from.commit}^{commit}`);
  if (!commit) return [];
  const files = await changedFiles(ports.git, { from: commit.id, to: old.id });
  return files.flatMap(({ path, id }) => (id === undefined ? [] : [{ path, content: { id, kind: 'blob' } }]));
}
