import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { openBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { importWriter, listSegmentedRuns, listWriters, openRunJournals } from '../../src/journal/index.ts';
import { directoryLogStore, openLog, verifyLog } from '../../src/log/index.ts';
import { applySeal, planSeal } from '../../src/seal/index.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { ended, ledgerOf, start } from './kill-loop.ts';

test('the machine is gone for good: with a bucket, every completed sample is still there', async () => {
  await using dir = await makeTempDir();
  const segments = join(dir.path, 'bucket');
  const machine = join(dir.path, 'machine');
  await mkdir(machine, { recursive: true });
  const child = start({ dir: machine, samples: 400, turns: 2, segments });
  while (completedIn(machine).length < 60 && child.exitCode === null) await sleep(20);
  child.kill('SIGKILL');
  await ended(child);
  const completed = completedIn(machine);
  expect(completed.length).toBeGreaterThanOrEqual(60);
  rmSync(join(machine, 'logs'), { recursive: true });

  const bucket = await openBucket(segments, { disk: nodeDisk });
  const [run = ''] = await listSegmentedRuns(bucket, '');
  const runDir = join(dir.path, 'home');
  await mkdir(runDir);
  for (const writer of await listWriters(bucket, '', run)) {
    const report = await importWriter({ disk: nodeDisk, bucket, prefix: '', run, writer, runDir });
    expect(report.problems).toEqual([]);
  }
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  expect(journals.damage.sentences).toEqual([]);
  const logs = directoryLogStore(nodeDisk, dir.path);
  const name = 'home.eval';
  const logPath = join(dir.path, name);
  const plan = await planSeal(journals, logs);
  await applySeal(plan, { clock: systemClock, logs, name, outcome: { status: 'error' } });
  journals.close();
  expect((await verifyLog(nodeDisk, logPath)).problems).toEqual([]);
  const log = await openLog(nodeDisk, logPath);
  const found = new Set<string>();
  for await (const { id, error } of log.summaries()) if (error === undefined) found.add(String(id));
  await log.close();
  expect(completed.filter((id) => !found.has(id))).toEqual([]);
}, 300_000);

function completedIn(dir: string): readonly string[] {
  return ledgerOf(dir)
    .filter((line) => line.startsWith('done '))
    .map((line) => line.slice('done '.length));
}
