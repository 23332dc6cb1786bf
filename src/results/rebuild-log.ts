import { DamageError, type Digest, UsageError } from '../base/index.ts';
import type { LogFile, LogReader, LogStore } from '../log/index.ts';
import { digestDocuments } from './documents.ts';
import type { Revision } from './results-tree.ts';

export interface RebuildOptions {
  /** The name of the log that is made. */
  readonly name: string;
  /** What its documents must come to [RES-7]. */
  readonly digest: Digest;
  /** True puts it in the place of a log of that name; else that is refused (E_FILE_EXISTS). */
  readonly replace: boolean;
}

/**
 * Makes a published run a log file again: the very documents, equal by digest [RES-7]. They are read back and compared before the
 * log gets its name, so what is damaged in the repository never becomes a log.
 */
export async function rebuildLog(
  log: LogReader,
  into: LogStore,
  { name, digest, replace }: RebuildOptions,
): Promise<{ readonly place: string; readonly sizeBytes: number }> {
  const made = await into.create<void>(name, {
    replace,
    write: (file) => writeDocuments(log, file),
    judge: async (_report, _written, open): Promise<'commit'> => {
      const written = await open();
      try {
        if ((await digestDocuments(written)).digest !== digest) throw notTheSame(log.path);
      } finally {
        await written.close();
      }
      return 'commit';
    },
  });
  if (made.outcome === 'exists') throw exists(made.place);
  return { place: made.place, sizeBytes: made.sizeBytes };
}

/** Brings a published log into a directory of logs: under its own name, or, when another has that, with its digest in it. */
export async function bringHome(
  { run, row }: Pick<Revision, 'run' | 'row'>,
  { log, into }: { readonly log: LogReader; readonly into: LogStore },
): Promise<string> {
  const digest = row.log.digest as Digest;
  const own = fileNameOf({ run, row });
  const name = (await into.stat(own)) ? own.replace(/\.eval$/, `-${digest.slice(0, 16)}.eval`) : own;
  if (!(await into.stat(name))) await rebuildLog(log, into, { name, digest, replace: false });
  return name;
}

/** The name that the log had; a `.json`, and one whose name does not fit into the row, gets another from its run. */
export function fileNameOf({ run, row }: Pick<Revision, 'run' | 'row'>): string {
  return /^[^./\\][^/\\\0]*\.eval$/.test(row.log.name) ? row.log.name : `${run}.eval`;
}

/** In the order in which logs are written: what says that it is finished comes last. */
async function writeDocuments(log: LogReader, file: LogFile): Promise<void> {
  const names = log.members().map(({ name }) => name);
  for (const name of names.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const chunks = log.readMember(name);
    if (chunks) await file.writeMember(name, chunks);
  }
}

const LAST: readonly string[] = ['summaries.json', 'reductions.json', 'header.json'];

function rankOf(name: string): number {
  return name === '_journal/start.json' ? -2 : LAST.indexOf(name);
}

function notTheSame(run: string): DamageError {
  return new DamageError({
    code: 'E_RESULT_DIGEST',
    message: `The documents of run ${run} do not come to the digest that its row names.`,
    hint: 'No log was written. Run "git fsck" in the repository of the results; publishing the log of that run again brings it back.',
  });
}

function exists(path: string): UsageError {
  return new UsageError({
    code: 'E_FILE_EXISTS',
    message: `${path} exists already.`,
    hint: 'Name another place with --out, or replace it with --force.',
  });
}
