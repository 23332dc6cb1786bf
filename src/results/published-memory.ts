import { dirname } from 'node:path';
import { z } from 'zod';
import { ActionableError, type Clock, errnoOf, isRunId, type RunId, tryParseJson } from '../base/index.ts';
import { type Disk, replaceFile } from '../disk/index.ts';
import { isObjectId, type ObjectId } from '../git/index.ts';
import type { StoredLog } from '../log/index.ts';

/** What was found out about a log, so that it is not opened again for nothing. */
export interface KnownLog {
  /** Undefined: nothing could be read of it. */
  readonly run?: RunId | undefined;
  readonly isFinished: boolean;
  /** Made by Holdfast. */
  readonly isOurs: boolean;
  /** This very log is in the results. */
  readonly isPublished: boolean;
}

/**
 * What is remembered of the logs of a directory, beside them. It is a cache: without it everything is found out again, and what it
 * says is believed only as long as it must be true. A log is known by name, size and time of change, and one that changed just
 * now is not remembered at all, since it could change again within the same tick of the clock. That something is published is
 * believed only while the branch still leads to the commit in which it was seen: what is published is never taken away.
 */
export interface PublishedMemory {
  /** Where the branch was when the logs were looked at. */
  readonly commit: ObjectId | undefined;
  get(log: StoredLog): KnownLog | undefined;
  set(log: StoredLog, known: KnownLog): void;
  /** Nothing is taken for published any more. */
  forgetPublished(): void;
  /** Keeps it for the next time, where that is possible. */
  save(commit: ObjectId): Promise<void>;
}

const FRESH_MS = 2_000;

const stored = z.object({
  version: z.literal(1),
  commit: z.custom<ObjectId>((value) => typeof value === 'string' && isObjectId(value)),
  logs: z.record(
    z.string(),
    z.object({
      sizeBytes: z.number(),
      modifiedMs: z.number(),
      run: z.custom<RunId>((value) => typeof value === 'string' && isRunId(value)).optional(),
      isFinished: z.boolean(),
      isOurs: z.boolean(),
      isPublished: z.boolean(),
    }),
  ),
});

type Stored = z.infer<typeof stored>;

export async function openPublishedMemory(
  path: string,
  { disk, clock }: { readonly disk: Disk; readonly clock: Clock },
): Promise<PublishedMemory> {
  const before = readStored(await orNothing(() => disk.read(path)));
  const logs = new Map(Object.entries(before?.logs ?? {}));
  const seen = new Set<string>();
  return {
    commit: before?.commit,
    get({ name, sizeBytes, modifiedMs }) {
      seen.add(name);
      const known = logs.get(name);
      return known?.sizeBytes === sizeBytes && known.modifiedMs === modifiedMs ? known : undefined;
    },
    set({ name, sizeBytes, modifiedMs }, known) {
      seen.add(name);
      const isFresh = modifiedMs > clock.nowMs() - FRESH_MS;
      if (isFresh) logs.delete(name);
      else logs.set(name, { sizeBytes, modifiedMs, ...known });
    },
    forgetPublished() {
      for (const [name, known] of logs) logs.set(name, { ...known, isPublished: false });
    },
    async save(commit) {
      // Logs that are gone are forgotten.
      const kept = Object.fromEntries([...logs].filter(([name]) => seen.has(name)));
      const text = `${JSON.stringify({ version: 1, commit, logs: kept })}\n`;
      if (before && text === `${JSON.stringify(before)}\n`) return;
      // Where no run has been nothing is begun.
      await orNothing(async () => {
        if (await disk.stat(dirname(path))) await replaceFile(disk, path, Buffer.from(text, 'utf8'));
      });
    },
  };
}

/** It only saves time: a disk that is full, read-only or broken is told by those who need it. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ActionableError) && errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

/** What cannot be read is as good as nothing. */
function readStored(bytes: Uint8Array | undefined): Stored | undefined {
  return bytes && stored.safeParse(tryParseJson(bytes)).data;
}
