import { ActionableError, seededRandom } from '../../../src/base/index.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import {
  beginRound,
  Company,
  collectRuns,
  type JobOutcome,
  LeaseBook,
  patiently,
  SharedRun,
  SignsOfLife,
  workOnJob,
} from '../../../src/cluster/index.ts';
import { parseRemovingKey, SharedKeys } from '../../../src/cluster/shared-keys.ts';
import { memoryBucket } from '../memory-bucket.ts';
import { withMethods } from '../with-methods.ts';
import { bucketOf } from './sim-bucket.ts';
import { accountOf, fetchOnce, isWhole, type SimFetch } from './sim-fetch.ts';
import { SimProcess } from './sim-process.ts';
import { LOST_MAX, RUN } from './sim-submission.ts';
import type { Simulated } from './simulate.ts';
import { VirtualTime } from './virtual-time.ts';

const KEYS = new SharedKeys('', RUN);
/** Longer than any request is on its way. */
const END_MS = 60_000;

/** Two fetch a run, others collect what is home, one may resume it and one who slept wants a job of it, all in the same moment. */
export async function problemsOfRemoval(simulated: Simulated): Promise<readonly string[]> {
  const scene = new RemovalScene(simulated);
  return await scene.play();
}

class RemovalScene {
  readonly #simulated: Simulated;
  readonly #time = new VirtualTime();
  readonly #bucket = memoryBucket({ nowMs: () => this.#time.nowMs });
  readonly #random;
  readonly #faultShare: number;
  readonly #problems: string[] = [];
  readonly #fetches: { readonly fetch: SimFetch; readonly saidAtMs: number }[] = [];
  #processes = 0;
  #goneAtMs = Number.POSITIVE_INFINITY;
  #saidAtMs = Number.POSITIVE_INFINITY;
  #removingAtMs = Number.POSITIVE_INFINITY;
  #removedRound = 0;
  #resumedRound = 0;
  /** Then a removal may be begun and given up, and what failed is due again. */
  #hasDesk = false;

  constructor(simulated: Simulated) {
    this.#simulated = simulated;
    this.#random = seededRandom(simulated.seed + 5);
    this.#faultShare = this.#random.next() < 0.5 ? 0 : 0.15 * this.#random.next();
  }

  async play(): Promise<readonly string[]> {
    for await (const { key } of this.#simulated.bucket.list(`${RUN}/`))
      await this.#bucket.create(key, (await this.#simulated.bucket.read(key)) ?? new Uint8Array());
    for (const key of await this.#keysBelow(KEYS.fetched)) await this.#bucket.remove(key);
    for (let who = 0; who < 2; who++) this.#act('home', (process, bucket) => this.#fetch(process, bucket));
    for (let who = 0; who < 2; who++) this.#act('gc', (process, bucket) => this.#collect(process, bucket));
    this.#hasDesk = this.#random.next() < 0.3;
    if (this.#hasDesk) this.#act('desk', (process, bucket) => this.#resume(process, bucket));
    this.#act('sleeper', (process, bucket) => this.#work(process, bucket));
    await this.#time.run({ untilMs: END_MS });
    await this.#check();
    return this.#problems;
  }

  #act(kind: string, act: (process: SimProcess, bucket: Bucket) => Promise<void>): void {
    const random = seededRandom(this.#simulated.seed * 100 + ++this.#processes);
    const time = this.#time;
    const process = new SimProcess(`${kind}${this.#processes}`, { time, random, skewMs: 0 });
    const weather = { faultShare: this.#faultShare, awayUntilMs: 0 };
    const world = { bucket: this.#watched(), time, random, weather, cable: { cutUntilMs: 0 } };
    if (kind === 'home' && this.#random.next() < 0.5) this.#sleep(process);
    this.#time.after(400 * this.#random.next(), () => {
      act(process, bucketOf(process, world)).catch((error: unknown) => {
        this.#problems.push(`${process.name} threw: ${error instanceof Error ? error.stack : error}`);
      });
    });
  }

  /** Its machine stands still while the others go on. */
  #sleep(process: SimProcess): void {
    const fromMs = 800 * this.#random.next();
    this.#time.after(fromMs, () => process.freeze());
    this.#time.after(fromMs + 3_000, () => process.thaw());
  }

  /** Remembers when it was said that the run is home, that it is being removed, and when it went. */
  #watched(): Bucket {
    const real = this.#bucket;
    return withMethods(real, {
      create: async (key, bytes) => {
        if (key.startsWith(KEYS.fetched)) this.#saidAtMs = Math.min(this.#saidAtMs, this.#time.nowMs);
        const removing = parseRemovingKey(key);
        if (removing !== undefined) this.#removingAtMs = Math.min(this.#removingAtMs, this.#time.nowMs);
        this.#removedRound = Math.max(this.#removedRound, removing ?? 0);
        return await real.create(key, bytes);
      },
      remove: async (key) => {
        if (key === KEYS.submission) this.#goneAtMs = Math.min(this.#goneAtMs, this.#time.nowMs);
        await real.remove(key);
      },
    });
  }

  async #fetch({ clock, name }: SimProcess, bucket: Bucket): Promise<void> {
    let saidAtMs = 0;
    const own = withMethods(bucket, {
      create: async (key, bytes) => {
        if (key.startsWith(KEYS.fetched)) saidAtMs = clock.monotonicMs();
        return await bucket.create(key, bytes);
      },
    });
    const fetch = await patiently(() => fetchOnce({ bucket: own, prefix: '' }, { clock, by: name }), {
      clock,
    });
    this.#fetches.push({ fetch, saidAtMs });
  }

  async #collect({ clock }: SimProcess, bucket: Bucket): Promise<void> {
    for (let tries = 0; tries < 8 && this.#goneAtMs === Number.POSITIVE_INFINITY; tries++) {
      await patiently(() => this.#collectOnce(bucket), { clock });
      await clock.sleep(60);
    }
  }

  #collectOnce(bucket: Bucket) {
    const about = { olderThanMs: 0, nowMs: this.#time.nowMs, isDryRun: false };
    const clock = new SimProcess('gc', { time: this.#time, random: this.#random, skewMs: 0 }).clock;
    return collectRuns({ bucket, prefix: '' }, { clock, ...about });
  }

  /** A person sees an error, and does not try again. */
  async #resume({ clock, name }: SimProcess, bucket: Bucket): Promise<void> {
    const place = { bucket, prefix: '' };
    try {
      const shared = await SharedRun.open(place, RUN);
      if (shared) this.#resumedRound = (await beginRound(shared, place, { clock, by: name })).round;
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
    }
  }

  /** A job that is over by all that was ever stored: only of a run that is gone it seems to be due. */
  async #work({ clock, name }: SimProcess, bucket: Bucket): Promise<void> {
    const { shared } = this.#simulated;
    const job = [...shared.jobs()].find((one) => shared.endOf(one)?.status === 'completed');
    if (!job) return;
    const place = { bucket, prefix: '' };
    const outcome: JobOutcome = await workOnJob(job, {
      ...{ clock, worker: name, round: shared.round, lostMax: LOST_MAX, company: new Company() },
      book: new LeaseBook(place, { run: RUN, clock }),
      signs: new SignsOfLife(place, { worker: name, clock, slots: 1 }),
      session: async () => ({
        writer: name,
        work: async () => ({ status: 'completed', origin: `${name}/1` }),
      }),
      isCancelled: async () => false,
      signal: new AbortController().signal,
    });
    if (outcome.kind === 'ended') this.#problems.push(`${name} did ${job} once more, of a run that goes`);
  }

  async #check(): Promise<void> {
    const isGone = this.#goneAtMs < Number.POSITIVE_INFINITY;
    if (isGone && this.#removingAtMs < this.#saidAtMs)
      this.#problems.push('it was removed before anybody had brought it home');
    // Of what is complete the next round is so at once: it may be brought home, and go.
    if (isGone && this.#resumedRound > this.#removedRound)
      this.#problems.push(
        `round ${this.#resumedRound} was begun, and it was removed as of ${this.#removedRound}`,
      );
    await this.#checkFetches(isGone);
    const isLeft = async () => (await this.#keysBelow(`${RUN}/`)).length > 0;
    if (isGone && this.#faultShare === 0 && (await isLeft()))
      this.#problems.push(`of a run that was removed is left: ${await this.#keysBelow(`${RUN}/`)}`);
    await this.#collectOnce(this.#bucket);
    if (isGone && (await isLeft()))
      this.#problems.push('a collection leaves something of a run that was removed');
  }

  async #checkFetches(isGone: boolean): Promise<void> {
    const { shared, bucket, torn } = this.#simulated;
    const told = (report: object) => JSON.stringify({ ...report, round: 0 });
    const account = told(await accountOf(shared, bucket));
    for (const { fetch, saidAtMs } of this.#fetches) {
      if (fetch.kind !== 'fetched') {
        if (!isGone && !this.#hasDesk)
          this.#problems.push(`${fetch.by} was told that it was removed, and it was not`);
        continue;
      }
      if (fetch.notedAtMs !== undefined && saidAtMs > this.#goneAtMs)
        this.#problems.push(`${fetch.by} says that it is home, and it had been removed before`);
      if (torn.size === 0 && isWhole(fetch.report) && told(fetch.report) !== account && !this.#hasDesk)
        this.#problems.push(`${fetch.by} fetched ${told(fetch.report)}, and it is ${account}`);
      if (torn.size === 0 && !isWhole(fetch.report)) this.#problems.push(`${fetch.by} missed something`);
    }
  }

  async #keysBelow(folder: string): Promise<readonly string[]> {
    return (await Array.fromAsync(this.#bucket.list(folder))).map(({ key }) => key);
  }
}
