import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ActionableError,
  type Random,
  seededRandom,
  shuffled,
  systemClock,
} from '../../../src/base/index.ts';
import { type Bucket, bucketErrors } from '../../../src/bucket/index.ts';
import { comeHome, type HomeReport, type JobId, LeaseBook } from '../../../src/cluster/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { StateDir } from '../../../src/journal/index.ts';
import { directoryLogStore, type EvalSample } from '../../../src/log/index.ts';
import { countingModel, twoTurns } from '../../interrupted-run.ts';
import { memoryBucket } from '../memory-bucket.ts';
import { headerOf, samplesOf } from '../read-log.ts';
import { openZombie, type Submitted, submit, until } from '../shared-machines.ts';
import { useTempDir } from '../use-temp-dir.ts';
import { withMethods } from '../with-methods.ts';
import { seeded } from './seeded.ts';

/** Real journals take their time: a fiftieth of the seeds of the simulation. */
const SEEDS = Math.ceil(Number(process.env.HOLDFAST_SEEDS ?? 2_000) / 50);
const FIRST = Number(process.env.HOLDFAST_SEED ?? 1);
const BATCH = 10;

const dir = useTempDir();

for (let first = FIRST; first < FIRST + SEEDS; first += BATCH) {
  const last = Math.min(first + BATCH, FIRST + SEEDS) - 1;
  test(`runs of seeds ${first} to ${last} come home alike, to whoever fetches them, at once and in whatever order`, async () => {
    for (let seed = first; seed <= last; seed++)
      await seeded(seed, 'test/sim/cluster/home.test.ts', () => comesHome(seed));
  });
}

async function comesHome(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const real = memoryBucket({ nowMs: () => Date.now() });
  const samples = 2 + Math.floor(3 * random.next());
  const home = join(dir.path, String(seed));
  const { model, asked } = countingModel();
  const submitted = await submit(real, { dir: home, eval: twoTurns(samples), model });
  const early: Promise<HomeReport>[] = [];
  const lost: string[] = [];
  const bought: string[] = [];
  for (const job of shuffled([...submitted.shared.jobs()], random)) {
    if (random.next() < 0.5) {
      const isLost = random.next() < 0.5;
      if (isLost) lost.push(job);
      bought.push(...(await leaves(submitted, job, isLost)));
    }
    if (random.next() < 0.3) early.push(fetchTo(submitted, { name: `early-${job}`, bucket: real }));
    const zombie = await openZombie(submitted, { name: `does-${job}`, model });
    await zombie.work(job);
    await zombie.close();
  }
  for (const report of await Promise.all(early))
    expect(report).toMatchObject({ lostResults: [], problems: [] });
  const reports = await Promise.all([
    fetchTo(submitted, { name: 'one', bucket: faulty(real, seededRandom(seed + 1)) }),
    fetchTo(submitted, { name: 'one', bucket: faulty(real, seededRandom(seed + 2)) }),
    fetchTo(submitted, { name: 'other', bucket: reversed(faulty(real, seededRandom(seed + 3))) }),
  ]);
  const [first] = reports;
  for (const report of reports) {
    expect(report).toMatchObject({ isComplete: true, lostResults: [], problems: [] });
    expect({ ...report, log: '' }).toEqual({ ...first, log: '' });
    expect(await contentOf(report)).toEqual(await contentOf(first));
  }
  expect(first?.lostLeases.map(({ job }) => job)).toEqual(lost.toSorted());
  const sealed = await samplesOf(first?.log ?? '');
  expect(sealed.map(({ id }) => id).toSorted()).toEqual(Array.from({ length: samples }, (_, n) => `q${n}`));
  // All that was paid for, once: whoever left had sent it.
  expect(sealed.flatMap(answersOf).toSorted()).toEqual(
    [...bought, ...asked].map((question) => question.replace('question', 'answer')).toSorted(),
  );
}

/** A worker that has its first answer, and gives the job back; or is declared lost, after it sent what it had. Gives what was answered. */
async function leaves(submitted: Submitted, job: JobId, isLost: boolean): Promise<readonly string[]> {
  const isSecond = (text: string) => text.endsWith('second');
  const { model, asked } = countingModel(isSecond);
  const zombie = await openZombie(submitted, { name: `leaves-${job}`, model });
  const working = zombie.work(job);
  await until(() => asked.some(isSecond));
  if (isLost) {
    await zombie.ship();
    const { place, shared } = submitted;
    const book = new LeaseBook(place, { run: shared.run, clock: systemClock });
    const reason = `leaves-${job} fell silent`;
    await book.end({ job, n: 1, round: 1 }, { status: 'lost', by: 'somebody', reason });
  }
  zombie.stop();
  await working;
  await zombie.close();
  return asked.filter((text) => !isSecond(text));
}

/** As often as the bucket was away, a person fetches again. */
async function fetchTo(
  { shared, place }: Submitted,
  { name, bucket }: { readonly name: string; readonly bucket: Bucket },
): Promise<HomeReport> {
  const logDir = join(dir.path, shared.run, name, 'logs');
  const where = { state: StateDir.of(logDir), logs: directoryLogStore(nodeDisk, logDir) };
  for (;;) {
    try {
      return await comeHome(shared, {
        disk: nodeDisk,
        clock: systemClock,
        place: { ...place, bucket },
        ...where,
      });
    } catch (error) {
      if (!(error instanceof ActionableError && error.retryable)) throw error;
    }
  }
}

function faulty(bucket: Bucket, random: Random): Bucket {
  const send = async <T>(what: string, request: () => Promise<T>): Promise<T> => {
    if (random.next() < 0.02) throw bucketErrors.away(bucket.url, new Error(`no answer came to ${what}`));
    return await request();
  };
  return withMethods(bucket, {
    read: (key) => send(`read ${key}`, () => bucket.read(key)),
    download: (key, path) => send(`download ${key}`, () => bucket.download(key, path)),
    stat: (key) => send(`stat ${key}`, () => bucket.stat(key)),
    async *list(folder, options) {
      yield* await send(`list ${folder}`, () => Array.fromAsync(bucket.list(folder, options)));
    },
  });
}

/** Names folders the last one first; what lies in one stays in order, as every bucket promises [BUCKET-5]. */
function reversed(bucket: Bucket): Bucket {
  const folderOf = (key: string) => key.slice(0, key.lastIndexOf('/'));
  return withMethods(bucket, {
    async *list(folder, options) {
      const found = await Array.fromAsync(bucket.list(folder, options));
      yield* [...Map.groupBy(found, ({ key }) => folderOf(key)).values()].reverse().flat();
    },
  });
}

async function contentOf(report: HomeReport | undefined) {
  const { results } = await headerOf(report?.log ?? '');
  return { results, samples: await samplesOf(report?.log ?? '') };
}

/** What the model said to it, in order. */
function answersOf({ events = [] }: EvalSample): readonly string[] {
  return events.flatMap((event) =>
    event.event === 'model' ? (/answer \d+ \w+/.exec(JSON.stringify(event.output))?.[0] ?? '') : [],
  );
}
