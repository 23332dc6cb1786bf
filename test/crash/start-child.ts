/**
 * Begins to work on one and the same run again and again, as many others do at the same time: takes its lock, looks at its
 * writers, begins a journal, and sometimes lets the whole run go. Counts what came of it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf, seededRandom, systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { createWriter, findRuns, lockRun, openRunJournals, type RunRecord } from '../../src/journal/index.ts';

const [stateDir = '', runJson = '{}', seed = '1', forMs = '1500'] = process.argv.slice(2);
const run = JSON.parse(runJson) as RunRecord;
const runDir = `${stateDir}/${run.runId}`;
const random = seededRandom(Number(seed));
const counts: Record<string, number> = { worked: 0, released: 0 };
const until = performance.now() + Number(forMs);

for (let round = 0; performance.now() < until; round++) {
  try {
    await findRuns(nodeDisk, stateDir);
    if (random.next() < 0.5) await nodeDisk.makeDir(runDir);
    await work(round);
    counts.worked = (counts.worked ?? 0) + 1;
  } catch (error) {
    const code = errnoOf(error);
    // Anything but an answer of ours is told in full.
    const name = code === 'E_JOURNAL_BUSY' ? code : `${code} ${error instanceof Error ? error.stack : error}`;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  if (random.next() < 0.3) await sleep(random.next() * 3);
}
process.stdout.write(JSON.stringify(counts));

async function work(round: number): Promise<void> {
  using _lock = lockRun(runDir);
  await workAlone(round);
  if (random.next() < 0.5) return;
  const released = `${runDir}.${seed}-${round}.released`;
  await nodeDisk.rename(runDir, released);
  await nodeDisk.removeTree(released);
  counts.released = (counts.released ?? 0) + 1;
}

/** Whoever is inside at the same time finds the file of the other, and says so with EEXIST. */
async function workAlone(round: number): Promise<void> {
  const inside = `${stateDir}/inside`;
  writeFileSync(inside, seed, { flag: 'wx' });
  try {
    await begin(round);
  } finally {
    rmSync(inside);
  }
}

async function begin(round: number): Promise<void> {
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  const generation = journals.nextGeneration;
  journals.close();
  const writer = await createWriter({
    runDir,
    run,
    writer: { writer: `w${seed}-${round}`, generation, after: [], reuse: 'same' },
    ports: { disk: nodeDisk, clock: systemClock },
  });
  await writer.end('finished');
  writer.close();
}
