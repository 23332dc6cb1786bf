/** One command of a shared run of any size, in a process of its own: `<submit|status|fetch> <samples> <workers>`. Prints what it took. */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { digestOf, systemClock, systemRandom } from '../../src/base/index.ts';
import {
  beginRound,
  comeHome,
  createSubmission,
  enqueueDue,
  type JobQueue,
  type SharedPlace,
  SharedRun,
  seeWorkers,
  statusOf,
} from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { StateDir } from '../../src/journal/index.ts';
import { directoryLogStore } from '../../src/log/index.ts';
import { makePlan } from '../../src/runner/plan.ts';
import { memoryBucket } from '../sim/memory-bucket.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { derivedBucket, PREFIX, submissionOf } from './derived-bucket.ts';

const [command, samples, workers] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const stored = { bucket: memoryBucket({ nowMs: () => Date.now() }), prefix: PREFIX };
const place = { bucket: derivedBucket({ samples, workers }, stored.bucket), prefix: PREFIX };
const submission = submissionOf(samples);
if (command !== 'submit') await submitted();
const [begunMs, cpuBefore] = [performance.now(), process.cpuUsage()];
const did =
  command === 'submit' ? await submit() : command === 'status' ? await status() : await fetchReport();
const ms = performance.now() - begunMs;
const { user, system } = process.cpuUsage(cpuBefore);
process.stdout.write(`${JSON.stringify({ ms, cpuMs: (user + system) / 1_000, did })}\n`);

/** The plan, the submission, its round, and every sample into a queue that counts. */
async function submit(): Promise<number> {
  const rows = {
    count: samples,
    ids: Array.from({ length: samples }, (_, n) => n + 1),
    contentDigest: (index: number) => digestOf(`row ${index}`),
  };
  const nothing = digestOf('');
  const identity = { eval: 'many', version: '0', targetName: 'none', target: nothing, scoring: nothing };
  const plan = makePlan({ ...identity, definition: nothing, epochs: 1, rows });
  const shared = await submitted(plan.size);
  let count = 0;
  const queue: Pick<JobQueue, 'add'> = {
    async add(jobs) {
      count += jobs.length;
    },
  };
  await enqueueDue(shared, queue as JobQueue);
  return count;
}

async function status(): Promise<number> {
  const shared = await opened(place);
  const { samples: counts } = statusOf(shared, await seeWorkers(place, { random: systemRandom }));
  return counts.completed;
}

/** No writer left a segment, so that what comes home is the account alone. */
async function fetchReport(): Promise<number> {
  await using dir = await makeTempDir();
  const logDir = join(dir.path, 'logs');
  const logs = directoryLogStore(nodeDisk, logDir);
  const state = StateDir.of(logDir);
  const shared = await opened(place);
  const home = await comeHome(shared, { disk: nodeDisk, clock: systemClock, place, state, logs });
  return home.samples.completed;
}

/** Before anybody has begun anything. */
async function submitted(size: number = samples): Promise<SharedRun> {
  await createSubmission(stored, { ...submission, samples: size });
  const shared = await opened(stored);
  await beginRound(shared, stored, { clock: systemClock, by: 'bench' });
  return shared;
}

async function opened(where: SharedPlace): Promise<SharedRun> {
  const shared = await SharedRun.open(where, submission.run);
  if (!shared) throw new Error('nothing was submitted');
  return shared;
}
