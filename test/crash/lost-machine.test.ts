import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { openBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { importSegments, listSegmentedRuns, listWriters, readJournal } from '../../src/journal/index.ts';
import { openLog, verifyLog } from '../../src/log/index.ts';
import { sealRun } from '../../src/seal/index.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { ended, ledgerOf, start } from './kill-loop.ts';

test('the machine is gone for good: with a bucket, every completed sample is still there', async () => {
  await using dir = await makeTempDir();
  const segments = join(dir.path, 'bucket');
  const machine = join(dir.path, 'machine');
  await mkdir(machine, { recursive: true });
  const child = start({ dir: machine, samples: 400, turns: 2, segments });
  while (completedIn(machine).length < 60 && child.exitCode === null) await sleep(2);
  child.kill('SIGKILL');
  await ended(child);
  const completed = completedIn(machine);
  expect(completed.length).toBeGreaterThanOrEqual(60);
  rmSync(join(machine, 'logs'), { recursive: true });

  const bucket = await openBucket(segments, { disk: nodeDisk });
  const [run = ''] = await listSegmentedRuns(bucket, '');
  const [writer = ''] = await listWriters(bucket, '', run);
  const into = join(dir.path, 'home.db');
  const report = await importSegments({ bucket, prefix: '', run, writer, into, isNew: true });
  expect(report.problems).toEqual([]);
  const journal = readJournal(into);
  const logPath = join(dir.path, 'home.eval');
  await sealRun({
    disk: nodeDisk,
    clock: systemClock,
    sources: [journal],
    logPath,
    resolveLog: (log) => log,
    outcome: { status: 'error' },
  });
  journal.close();
  expect((await verifyLog(nodeDisk, logPath)).problems).toEqual([]);
  const log = await openLog(nodeDisk, logPath);
  const found = new Set<string>();
  for await (const { id, error } of log.summaries()) if (error === undefined) found.add(String(id));
  await log.close();
  expect(completed.filter((id) => !found.has(id))).toEqual([]);
});

function completedIn(dir: string): readonly string[] {
  return ledgerOf(dir)
    .filter((line) => line.startsWith('done '))
    .map((line) => line.slice('done '.length));
}
