import { type Random, seededRandom } from '../../../src/base/index.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import {
  beginRound,
  buildJob,
  cancelRound,
  createSubmission,
  enqueueDue,
  type JobId,
  LeaseBook,
  parseJob,
  patiently,
  rangesText,
  SHARED_VERSION,
  SharedRun,
  SignsOfLife,
  type Submission,
  Worker,
} from '../../../src/cluster/index.ts';
import { memoryBucket } from '../memory-bucket.ts';
import { type BucketWeather, bucketOf } from './sim-bucket.ts';
import { SimProcess } from './sim-process.ts';
import { queueOf, SimEngine } from './sim-queue.ts';
import {
  type JobScript,
  noteStored,
  type Purchase,
  readWriter,
  SEGMENTS,
  SimJournal,
} from './sim-samples.ts';
import { VirtualTime } from './virtual-time.ts';

const RUN = 'run';
const PREFIX = '';
const END_MS = 3_600_000;
const HEALED_AT_MS = 150_000;
const TROUBLE_MS = 90_000;
const LOST_MAX = 3;

export interface Simulated {
  readonly seed: number;
  readonly trace: readonly string[];
  readonly bucket: Bucket;
  readonly shared: SharedRun;
  readonly ledger: readonly Purchase[];
  /** Processes to which something happened: killed, frozen, told to go. */
  readonly struck: ReadonlyMap<string, Strike>;
  /** When an object was first there, by key. */
  readonly createdAtMs: ReadonlyMap<string, number>;
  /** What was wrong the very moment that it happened. */
  readonly seen: readonly string[];
  readonly scripts: ReadonlyMap<JobId, JobScript>;
  readonly wasCalm: boolean;
  /** Every request to the bucket was answered. */
  readonly wasBucketWell: boolean;
  readonly endedAtMs: number;
}

/** What happened to a process. */
export interface Strike {
  /** The job that killed it, if one did, and when. */
  readonly poison?: { readonly job: JobId; readonly atMs: number };
  /** When it was well again, each time. */
  readonly wellAtMs: readonly number[];
}

/** One shared run from submission to completion, with everything going wrong that a seed brings. */
export async function simulate(seed: number): Promise<Simulated> {
  const world = new World(seed);
  return world.play();
}

class World {
  readonly #seed: number;
  readonly #random: Random;
  readonly #time = new VirtualTime();
  readonly #bucket: Bucket;
  readonly #engine: SimEngine;
  readonly #weather: BucketWeather;
  readonly #isCalm: boolean;
  readonly #wasBucketWell: boolean;
  readonly #ledger: Purchase[] = [];
  readonly #struck = new Map<string, Strike>();
  readonly #createdAtMs = new Map<string, number>();
  readonly #seen: string[] = [];
  readonly #alive = new Map<string, { readonly process: SimProcess; readonly stop: AbortController }>();
  readonly #scripts = new Map<JobId, JobScript>();
  readonly #trace: string[] = [];
  readonly #submission: Submission;
  #processes = 0;
  #shared: SharedRun | undefined;
  #isDone = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    const random = this.#random;
    this.#isCalm = random.next() < 0.15;
    this.#wasBucketWell = this.#isCalm || random.next() < 0.3;
    this.#weather = { faultShare: this.#wasBucketWell ? 0 : random.next() * 0.1, awayUntilMs: 0 };
    this.#bucket = this.#watched(memoryBucket({ nowMs: () => this.#time.nowMs }));
    this.#engine = new SimEngine(this.#time, seededRandom(seed + 1));
    this.#engine.doubleShare = this.#isCalm ? 0 : random.next() * 0.2;
    this.#submission = this.#makeSubmission();
  }

  async play(): Promise<Simulated> {
    const workers = 1 + Math.floor(4 * this.#random.next());
    this.#submit();
    if (!this.#isCalm && this.#random.next() < 0.2) this.#submit();
    for (let count = 0; count < workers; count++) this.#startWorker(this.#random.next() * 3_000);
    if (!this.#isCalm) this.#planTrouble();
    this.#time.after(HEALED_AT_MS, () => this.#heal());
    this.#watchForTheEnd();
    await this.#time.run({ untilMs: END_MS, isEnough: () => this.#isDone });
    const shared = await SharedRun.open(this.#place(this.#bucket), RUN);
    if (!shared) throw new Error(`seed ${this.#seed}: nothing was submitted`);
    return {
      ...{ seed: this.#seed, trace: this.#trace, bucket: this.#bucket, shared, ledger: this.#ledger },
      ...{
        struck: this.#struck,
        createdAtMs: this.#createdAtMs,
        seen: this.#seen,
        scripts: this.#scripts,
        wasCalm: this.#isCalm,
        wasBucketWell: this.#wasBucketWell,
        endedAtMs: this.#time.nowMs,
      },
    };
  }

  #place(bucket: Bucket) {
    return { bucket, prefix: PREFIX };
  }

  /** Everything that changes the bucket is the trace: what two plays of one seed must agree on. */
  #watched(bucket: Bucket): Bucket {
    return {
      ...bucket,
      create: async (key, bytes) => {
        const isNew = await bucket.create(key, bytes);
        this.#note(`create ${key} ${isNew}`);
        if (isNew) this.#createdAtMs.set(key, this.#time.nowMs);
        if (isNew && key.endsWith('.ended')) await this.#checkEnd(bucket, bytes);
        if (isNew && key.startsWith(SEGMENTS)) {
          const by = key.slice(SEGMENTS.length).split('/')[0]?.slice('w-'.length) ?? '';
          noteStored(this.#ledger, bytes, { by, nowMs: this.#time.nowMs });
        }
        return isNew;
      },
      replaceIf: async (key, replacement) => {
        const etag = await bucket.replaceIf(key, replacement);
        this.#note(`replace ${key} ${etag}`);
        return etag;
      },
    };
  }

  /** [SHR-4] */
  async #checkEnd(bucket: Bucket, bytes: Uint8Array): Promise<void> {
    const { job, status, origin = '' } = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (status !== 'completed' && status !== 'errored') return;
    const rows = await readWriter(bucket, origin.split('/')[0]);
    if (!rows.some((row) => 'result' in row && row.result === `${job} ${origin}`))
      this.#seen.push(`${job} ended ${status} before ${origin} was in the bucket`);
  }

  #note(what: string): void {
    this.#trace.push(`${this.#time.nowMs.toFixed(3)} ${what}`);
  }

  #makeSubmission(): Submission {
    const random = this.#random;
    const samples = 1 + Math.floor(12 * random.next());
    const kinds = Math.floor(3 * random.next());
    const builds = Array.from({ length: kinds }, (_, kind) => {
      const recipe = String(kind + 1).repeat(64);
      const needed = Array.from({ length: samples }, (_, at) => at).filter((at) => at % (kinds + 1) === kind);
      return { job: buildJob(recipe), unit: `kind/${kind}`, recipe, samples: rangesText(needed) };
    });
    return {
      ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: RUN, at: '', by: 'laptop' },
      ...{ samples, lent: '', builds, lostMax: LOST_MAX },
      // The simulated journals have no use for it.
      record: Object.create(null),
    };
  }

  #scriptOf(job: JobId): JobScript {
    const known = this.#scripts.get(job);
    if (known) return known;
    const random = seededRandom(
      this.#seed * 7_919 + [...job].reduce((sum, letter) => 31 * sum + letter.charCodeAt(0), 7),
    );
    const script = {
      calls: 1 + Math.floor(3 * random.next()),
      callMs: 200 + 20_000 * random.next() ** 2,
      worksInRound: random.next() < 0.1 ? 2 : 1,
      isPoison: !this.#isCalm && parseJob(job)?.kind === 'sample' && random.next() < 0.02,
    };
    this.#scripts.set(job, script);
    return script;
  }

  #newProcess(kind: string): { readonly process: SimProcess; readonly bucket: Bucket } {
    const random = seededRandom(this.#seed * 1_000 + ++this.#processes);
    const process = new SimProcess(`${kind}${this.#processes}`, {
      time: this.#time,
      random,
      skewMs: this.#isCalm ? 0 : (random.next() - 0.5) * 600_000,
    });
    const world = { bucket: this.#bucket, time: this.#time, random, weather: this.#weather };
    return { process, bucket: bucketOf(process, world) };
  }

  /** A laptop submits the run, and is closed. */
  #submit(): void {
    const { process, bucket } = this.#newProcess('laptop');
    const place = this.#place(bucket);
    const { clock } = process;
    const queue = queueOf(process, { engine: this.#engine, time: this.#time });
    void patiently(
      async () => {
        await createSubmission(place, this.#submission);
        const shared = await SharedRun.open(place, RUN);
        if (!shared) throw new Error('the submission is gone');
        if (shared.round === 0) await beginRound(shared, place, { clock, by: process.name });
        await enqueueDue(shared, queue);
      },
      { clock },
    );
  }

  #startWorker(inMs: number): void {
    const { process, bucket } = this.#newProcess('worker');
    const stop = new AbortController();
    this.#time.after(inMs, () => {
      this.#alive.set(process.name, { process, stop });
      const place = this.#place(bucket);
      const { clock } = process;
      const worker = process.name;
      const slots = 1 + Math.floor(3 * this.#random.next());
      const journal = new SimJournal(process, bucket, {
        time: this.#time,
        ledger: this.#ledger,
        scriptOf: (job) => this.#scriptOf(job),
        onPoison: (one, job) => this.#kill(one.name, { poison: { job, atMs: this.#time.nowMs } }),
      });
      void new Worker({
        ...{ worker, place, clock, slots, signal: stop.signal },
        queue: queueOf(process, { engine: this.#engine, time: this.#time }),
        signs: new SignsOfLife(place, { worker, clock, slots }),
        openSession: async (run) => ({
          book: new LeaseBook(place, { run, clock }),
          writer: journal.writer,
          lostMax: LOST_MAX,
          work: (lease, about) => journal.work(lease, about),
        }),
      }).serve();
    });
  }

  /** Its machine is gone; another takes its place. */
  #kill(name: string, strike: Pick<Strike, 'poison'> = {}): void {
    const found = this.#alive.get(name);
    if (!found) return;
    found.process.kill();
    this.#alive.delete(name);
    this.#struck.set(name, { ...strike, wellAtMs: this.#struck.get(name)?.wellAtMs ?? [] });
    this.#note(`kill ${name}`);
    this.#startWorker(1_000 + 5_000 * this.#random.next());
  }

  #planTrouble(): void {
    const count = Math.floor(12 * this.#random.next());
    for (let at = 0; at < count; at++)
      this.#time.after(this.#random.next() * TROUBLE_MS, () => this.#strike(this.#random.next()));
  }

  #strike(chance: number): void {
    const names = [...this.#alive.keys()];
    const name = names[Math.floor(this.#random.next() * names.length)] ?? '';
    if (chance < 0.3) this.#kill(name);
    else if (chance < 0.5) this.#freeze(name);
    else if (chance < 0.6) this.#terminate(name);
    else if (chance < 0.75) {
      this.#note('lose the queue');
      this.#engine.lose(20_000 * this.#random.next());
    } else if (chance < 0.9 && !this.#wasBucketWell) {
      this.#note('lose the bucket');
      this.#weather.awayUntilMs = this.#time.nowMs + 20_000 * this.#random.next();
    } else this.#cancelAndResume();
  }

  #freeze(name: string): void {
    const found = this.#alive.get(name);
    if (!found) return;
    this.#struck.set(name, { wellAtMs: this.#struck.get(name)?.wellAtMs ?? [] });
    this.#note(`freeze ${name}`);
    found.process.freeze();
    this.#time.after(1_000 + 60_000 * this.#random.next(), () => {
      const before = this.#struck.get(name);
      this.#struck.set(name, { ...before, wellAtMs: [...(before?.wellAtMs ?? []), this.#time.nowMs] });
      found.process.thaw();
    });
  }

  /** Its machine is wanted elsewhere: it gives back what it has. */
  #terminate(name: string): void {
    const found = this.#alive.get(name);
    if (!found) return;
    this.#struck.set(name, { wellAtMs: this.#struck.get(name)?.wellAtMs ?? [] });
    this.#note(`terminate ${name}`);
    this.#alive.delete(name);
    found.stop.abort(new Error('The machine is wanted elsewhere'));
    this.#startWorker(2_000);
  }

  /** Somebody cancels the run from somewhere, and somebody else goes on with it. */
  #cancelAndResume(): void {
    const { process, bucket } = this.#newProcess('desk');
    const place = this.#place(bucket);
    const { clock } = process;
    void patiently(
      async () => {
        const shared = await SharedRun.open(place, RUN);
        if (!shared || shared.round === 0 || shared.isComplete) return;
        if (!shared.isCancelled) await cancelRound(shared, place, { clock, by: process.name });
        await clock.sleep(10_000);
        await this.#resume(process, bucket);
      },
      { clock },
    );
  }

  async #resume(process: SimProcess, bucket: Bucket): Promise<void> {
    const place = this.#place(bucket);
    const { clock } = process;
    const queue = queueOf(process, { engine: this.#engine, time: this.#time });
    const shared = await patiently(() => SharedRun.open(place, RUN), { clock });
    if (!shared) return;
    await patiently(() => beginRound(shared, place, { clock, by: process.name }), { clock });
    await patiently(() => enqueueDue(shared, queue), { clock });
  }

  /** From here on nothing goes wrong any more, and somebody is there to do what is left. */
  #heal(): void {
    this.#weather.faultShare = 0;
    this.#weather.awayUntilMs = 0;
    this.#engine.awayUntilMs = 0;
    this.#engine.doubleShare = 0;
    for (const { process } of this.#alive.values()) process.thaw();
    this.#startWorker(0);
    const { process, bucket } = this.#newProcess('desk');
    void this.#resumeWhenCancelled(process, bucket);
  }

  async #resumeWhenCancelled(process: SimProcess, bucket: Bucket): Promise<void> {
    const shared = await SharedRun.open(this.#place(bucket), RUN);
    if (shared?.isCancelled) await this.#resume(process, bucket);
  }

  /** The simulation ends when the run is complete, and stays so for long enough for whoever was late. */
  #watchForTheEnd(): void {
    const look = async () => {
      this.#shared ??= await SharedRun.open(this.#place(this.#bucket), RUN);
      await this.#shared?.refresh();
      if (this.#shared?.isComplete && this.#time.nowMs > HEALED_AT_MS + 30_000) this.#isDone = true;
      else this.#time.after(5_000, () => void look());
    };
    this.#time.after(5_000, () => void look());
  }
}
