/** Runs that another process lets go at the very moment in which they are looked at. */
import { renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filledJournal, newWriter, runRecord } from '../../test/sim/journal-fixture.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { type Clock, type RunId, systemClock } from '../base/index.ts';
import { type Disk, nodeDisk } from '../disk/index.ts';
import { findRuns, sweepShells } from './find-runs.ts';
import type { JournalWriter } from './journal-writer.ts';
import { readJournal } from './read-journal.ts';
import { readRunFromJournals } from './read-run.ts';
import { lookAtRun, openRunJournals } from './run-journals.ts';

let dir: TempDir;
let runDir: string;
let path: string;
beforeEach(async () => {
  dir = await makeTempDir();
  const writer = await filledJournal(dir.path);
  writer.close();
  path = writer.reader.path;
  runDir = dirname(writer.dir);
});
afterEach(() => dir[Symbol.asyncDispose]());

/** The disk, on which the run is let go right after its journal was seen. */
const lettingGo = (): Disk => ({
  ...nodeDisk,
  async stat(at) {
    const found = await nodeDisk.stat(at);
    if (at === path) renameSync(runDir, `${runDir}.released`);
    return found;
  },
});

test('[SEAL-3] a run that is let go while all are looked for is absent, not damaged', async () => {
  expect(await findRuns(lettingGo(), dir.path)).toEqual({ found: [], unreadable: [] });
});

test('[SEAL-3] a journal whose run was let go just now is said to be busy, with nothing lost', async () => {
  renameSync(runDir, `${runDir}.released`);
  expect(() => readJournal(path)).toThrow(expect.objectContaining({ code: 'E_JOURNAL_BUSY' }));
  renameSync(`${runDir}.released`, runDir);
  const opened = openRunJournals({ disk: lettingGo(), runDir });
  await expect(opened).rejects.toMatchObject({ code: 'E_JOURNAL_BUSY' });
});

test('whoever only looks at a run finds it or not, whenever it is let go', async () => {
  const journals = await lookAtRun({ disk: nodeDisk, runDir });
  expect(journals?.readers).toHaveLength(1);
  journals?.close();
  expect(await lookAtRun({ disk: lettingGo(), runDir })).toBeUndefined();
  expect(await lookAtRun({ disk: nodeDisk, runDir })).toBeUndefined();
});

test('whoever watches a run still reads it to its end after it was let go', async () => {
  let disk = nodeDisk;
  const changing: Disk = { ...nodeDisk, stat: (at) => disk.stat(at) };
  const reader = readRunFromJournals({ disk: changing, clock: systemClock, runDir });
  expect(await reader.fields({ id: 'a', epoch: 1 })).toBeDefined();
  disk = lettingGo();
  expect(await reader.fields({ id: 'a', epoch: 1 })).toBeDefined();
  await reader.close();
});

test('[JRN-3] a shell in which somebody begins while it is looked at is not swept', async () => {
  const shell = join(dir.path, runRecord().runId);
  await nodeDisk.makeDir(shell);
  let begun: JournalWriter | undefined;
  const disk: Disk = {
    ...nodeDisk,
    async list(at) {
      const found = await nodeDisk.list(at);
      if (at === shell)
        begun ??= await newWriter(dir.path, { ...runRecord(), runId: basename(shell) as RunId });
      return found;
    },
  };
  const tomorrow: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 86_400_000 };
  await sweepShells(disk, dir.path, tomorrow);
  expect(begun?.failure).toBeUndefined();
  expect(await nodeDisk.stat(begun?.reader.path ?? '')).toBeDefined();
  begun?.close();
  await sweepShells(nodeDisk, dir.path, tomorrow);
  expect(await nodeDisk.stat(begun?.reader.path ?? '')).toBeDefined();
});
