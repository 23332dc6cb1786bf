import { type Clock, type Random, seededRandom } from '../../../src/base/index.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import {
  beginRound,
  cancelRound,
  createSubmission,
  enqueueDue,
  type JobId,
  LeaseBook,
  patiently,
  type SharedPlace,
  SharedRun,
  SignsOfLife,
  type Submission,
  Worker,
} from '../../../src/cluster/index.ts';
import { memoryBucket } from '../memory-bucket.ts';
import { type BucketWeather, bucketOf, type Cable } from './sim-bucket.ts';
import type { SimBuilt } from './sim-builds.ts';
import { type Tear, Tears } from './sim-damage.ts';
import { fetchOnce, type SimFetch } from './sim-fetch.ts';
import { SimProcess } from './sim-process.ts';
import { queueOf, SimEngine } from './sim-queue.ts';
import {
  type JobScript,
  noteStored,
  type Purchase,
  readWriter,
  SEGMENTS,
  SimSession,
} from './sim-samples.ts';
import { Strikes } from './sim-strikes.ts';
import { makeScript, makeSubmission, RUN } from './sim-submission.ts';
import { type WitnessedLease, witness } from './sim-witness.ts';
import { VirtualTime } from './virtual-time.ts';

const PREFIX = '';
const END_MS = 3_600_000;
const HEALED_AT_MS = 150_000;
const TROUBLE_MS = 90_000;

export interface Simulated {
  readonly seed: number;
  readonly trace: readonly string[];
  readonly bucket: Bucket;
  readonly shared: SharedRun;
  readonly ledger: readonly Purchase[];
  /** What happened to processes: killed, frozen, told to go. */
  readonly strikes: Strikes;
  /** Every lease as it was begun and ended, told by the bucket as it happened. */
  readonly witnessed: readonly WitnessedLease[];
  /** What those were told who fetched the run meanwhile. */
  readonly fetches: readonly SimFetch[];
  readonly built: readonly SimBuilt[];
  /** When an object was first there, by key. */
  readonly createdAtMs: ReadonlyMap<string, number>;
  /** What was wrong the very moment that it happened. */
  readonly seen: readonly string[];
  readonly scripts: ReadonlyMap<JobId, JobScript>;
  /** Records of leases that were damaged, by key. */
  readonly torn: ReadonlyMap<string, Tear>;
  readonly wasCalm: boolean;
  /** Every request to the bucket was answered. */
  readonly wasBucketWell: boolean;
  readonly endedAtMs: number;
}

/** One shared run from submission to completion, with everything going wrong that a seed brings. */
export async function simulate(seed: number): Promise<Simulated> {
  const world = new World(seed);
  return world.play();
}

interface SimMachine {
  readonly process: SimProcess;
  readonly cable: Cable;
  readonly stop: AbortController;
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
  readonly #strikes = new Strikes();
  readonly #witnessed: WitnessedLease[] = [];
  readonly #fetches: SimFetch[] = [];
  readonly #built: SimBuilt[] = [];
  /** The session of each worker: the process in which it runs the code of the run. */
  readonly #sessions = new Map<string, SimSession>();
  readonly #createdAtMs = new Map<string, number>();
  readonly #seen: string[] = [];
  readonly #alive = new Map<string, SimMachine>();
  readonly #scripts = new Map<JobId, JobScript>();
  readonly #trace: string[] = [];
  readonly #submission: Submission;
  readonly #tears: Tears;
  /** Rounds that were gone past at the end, because something was damaged. */
  readonly #gonePast = new Set<number>();
  /** Whose submission was seen. */
  readonly #submitters = new Set<string>();
  #processes = 0;
  #opened = 0;
  /** How many have not brought it home yet. */
  #fetching = 0;
  #shared: SharedRun | undefined;
  #isDone = false;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    const random = this.#random;
    this.#isCalm = random.next() < 0.15;
    this.#wasBucketWell = this.#isCalm || random.next() < 0.3;
    this.#weather = { faultShare: this.#wasBucketWell ? 0 : random.next() * 0.1, awayUntilMs: 0 };
    const bucket = memoryBucket({ nowMs: () => this.#time.nowMs });
    this.#tears = new Tears(bucket, {
      ...{ time: this.#time, random: seededRandom(seed + 2), endMs: HEALED_AT_MS },
      note: (what) => this.#note(what),
    });
    this.#bucket = this.#watched(bucket);
    this.#engine = new SimEngine(this.#time, seededRandom(seed + 1));
    this.#engine.doubleShare = this.#isCalm ? 0 : random.next() * 0.2;
    this.#submission = makeSubmission(random);
  }

  async play(): Promise<Simulated> {
    const workers = 1 + Math.floor(4 * this.#random.next());
    this.#submit();
    if (!this.#isCalm && this.#random.next() < 0.2) this.#submit();
    for (let count = 0; count < workers; count++) this.#startWorker(this.#random.next() * 3_000);
    if (!this.#isCalm) this.#planTrouble();
    this.#planFetches();
    this.#tears.plan(() => [...this.#createdAtMs.keys()]);
    this.#time.after(HEALED_AT_MS, () => this.#heal());
    this.#watchForTheEnd();
    await this.#time.run({ untilMs: END_MS, isEnough: () => this.#isDone });
    const shared = await SharedRun.open(this.#place(this.#bucket), RUN);
    if (!shared) throw new Error(`seed ${this.#seed}: nothing was submitted`);
    if (this.#submitters.size > 1) this.#seen.push(`it was submitted by ${[...this.#submitters].join()}`);
    return {
      ...{ seed: this.#seed, trace: this.#trace, bucket: this.#bucket, shared, ledger: this.#ledger },
      ...{
        strikes: this.#strikes,
        witnessed: this.#witnessed,
        fetches: this.#fetches,
        built: this.#built,
        createdAtMs: this.#createdAtMs,
        seen: this.#seen,
        scripts: this.#scripts,
        torn: this.#tears.torn,
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
        if (isNew) witness(this.#witnessed, key, bytes);
        if (isNew && key.endsWith('.ended')) await this.#checkEnd(bucket, bytes);
        if (isNew && key.startsWith(SEGMENTS)) {
          const [writer = ''] = key.slice(SEGMENTS.length).split('/');
          noteStored(this.#ledger, bytes, { writer, nowMs: this.#time.nowMs });
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

  /** Nothing that somebody does in the background throws: it would be told without its seed. */
  #watch(name: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#seen.push(`${name} threw: ${stackOf(error)}`));
  }

  #scriptOf(job: JobId): JobScript {
    const script = this.#scripts.get(job) ?? makeScript(this.#seed, job, this.#isCalm);
    this.#scripts.set(job, script);
    return script;
  }

  #newProcess(kind: string): Pick<SimMachine, 'process' | 'cable'> & { readonly bucket: Bucket } {
    const random = seededRandom(this.#seed * 1_000 + ++this.#processes);
    const process = new SimProcess(`${kind}${this.#processes}`, {
      time: this.#time,
      random,
      skewMs: this.#isCalm ? 0 : (random.next() - 0.5) * 600_000,
    });
    const cable = { cutUntilMs: 0 };
    const world = { bucket: this.#bucket, time: this.#time, random, weather: this.#weather, cable };
    return { process, cable, bucket: bucketOf(process, world) };
  }

  /** A laptop submits the run, and is closed. Of two that submit it at once one decides what it is, and both see that. */
  #submit(): void {
    const { process, bucket } = this.#newProcess('laptop');
    const place = this.#place(bucket);
    const { clock } = process;
    const queue = queueOf(process, { engine: this.#engine, time: this.#time });
    const submitting = patiently(
      async () => {
        await createSubmission(place, { ...this.#submission, by: process.name });
        const shared = await SharedRun.open(place, RUN);
        if (!shared) throw new Error('the submission is gone');
        this.#submitters.add(shared.submission.by);
        if (shared.round === 0) await beginRound(shared, place, { clock, by: process.name });
        await enqueueDue(shared, queue);
      },
      { clock },
    );
    this.#watch(process.name, submitting);
  }

  /** Two want it home at the same time while it is worked on, and two wait until all of it is there. */
  #planFetches(): void {
    const random = seededRandom(this.#seed + 3);
    for (const [earliestMs, isPatient] of [
      [TROUBLE_MS * random.next(), false],
      [HEALED_AT_MS - 20_000 * random.next(), true],
    ] as const)
      for (let who = 0; who < 2; who++) this.#fetch(earliestMs + 500 * random.next(), isPatient);
  }

  #fetch(atMs: number, isPatient: boolean): void {
    const { process, bucket } = this.#newProcess('home');
    const { clock } = process;
    const ports = { clock, by: process.name };
    const place = this.#place(bucket);
    const fetching = async () => {
      await clock.sleep(atMs);
      if (isPatient) await this.#untilComplete(place, clock);
      this.#fetches.push(await patiently(() => fetchOnce(place, ports), ports));
    };
    this.#fetching++;
    this.#watch(
      process.name,
      fetching().finally(() => this.#fetching--),
    );
  }

  async #untilComplete(place: SharedPlace, clock: Clock): Promise<void> {
    let shared: SharedRun | undefined;
    for (; !shared?.isComplete; await clock.sleep(4_000)) {
      shared ??= await patiently(() => SharedRun.open(place, RUN), { clock });
      await patiently(async () => await shared?.refresh(), { clock });
    }
  }

  #startWorker(inMs: number): void {
    const { process, cable, bucket } = this.#newProcess('worker');
    const stop = new AbortController();
    this.#time.after(inMs, () => {
      this.#alive.set(process.name, { process, cable, stop });
      const place = this.#place(bucket);
      const { clock } = process;
      const worker = process.name;
      const slots = 1 + Math.floor(3 * this.#random.next());
      const serving = new Worker({
        ...{ worker, place, clock, slots, signal: stop.signal },
        queue: queueOf(process, { engine: this.#engine, time: this.#time }),
        signs: new SignsOfLife(place, { worker, clock, slots }),
        openSession: async (run) => this.#openSession(process, bucket, new LeaseBook(place, { run, clock })),
      }).serve();
      // What it has not sent by then goes with it.
      this.#watch(
        worker,
        serving.then(() => process.kill()),
      );
    });
  }

  #openSession(process: SimProcess, bucket: Bucket, book: LeaseBook): SimSession {
    const apart = async () => this.#newSession(process, bucket, book);
    const session = this.#newSession(process, bucket, book, apart);
    this.#sessions.set(process.name, session);
    return session;
  }

  /** With `apart` it is that of all jobs of its worker; else of one. */
  #newSession(
    process: SimProcess,
    bucket: Bucket,
    book: LeaseBook,
    apart?: () => Promise<SimSession>,
  ): SimSession {
    const session = new SimSession(process, bucket, {
      ...{ time: this.#time, ledger: this.#ledger, built: this.#built, book, apart },
      n: ++this.#opened,
      scriptOf: (job) => this.#scriptOf(job),
      onPoison: (job) => {
        this.#strikes.poisoned.set(session.writer, { job, atMs: this.#time.nowMs });
        if (this.#scriptOf(job).killsWorker) this.#kill(process.name);
        else this.#killSession(process.name, session);
      },
    });
    return session;
  }

  /** What ran the code of the run is gone, and its worker lives: it opens the run again. */
  #killSession(name: string, session = this.#sessions.get(name)): void {
    if (!this.#alive.has(name)) return;
    this.#strikes.add(name);
    this.#note(`kill the session of ${name}`);
    if (session) this.#strikes.died.add(session.writer);
    session?.die();
  }

  /** Its machine is gone; another takes its place. */
  #kill(name: string): void {
    const found = this.#alive.get(name);
    if (!found) return;
    found.process.kill();
    this.#alive.delete(name);
    this.#strikes.add(name, { isHard: true });
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
    if (chance < 0.22) this.#kill(name);
    else if (chance < 0.3) this.#killSession(name);
    else if (chance < 0.42) this.#freeze(name);
    else if (chance < 0.5) this.#cutOff(name);
    else if (chance < 0.6) this.#terminate(name);
    else if (chance < 0.75) {
      this.#note('lose the queue');
      this.#strikes.queueLostAtMs.push(this.#time.nowMs);
      this.#engine.lose(20_000 * this.#random.next());
    } else if (chance < 0.9 && !this.#wasBucketWell) {
      this.#note('lose the bucket');
      this.#weather.awayUntilMs = this.#time.nowMs + 20_000 * this.#random.next();
    } else this.#cancelAndResume();
  }

  #freeze(name: string): void {
    const found = this.#alive.get(name);
    if (!found) return;
    this.#strikes.add(name, { isHard: true });
    this.#note(`freeze ${name}`);
    found.process.freeze();
    this.#time.after(1_000 + 60_000 * this.#random.next(), () => {
      this.#strikes.add(name, { wellAtMs: this.#time.nowMs });
      found.process.thaw();
    });
  }

  /** It does not reach the bucket, although it works, and the queue hears it. */
  #cutOff(name: string): void {
    const found = this.#alive.get(name);
    if (!found) return;
    const fromMs = this.#time.nowMs;
    const untilMs = Math.min(HEALED_AT_MS, fromMs + 1_000 + 60_000 * this.#random.next());
    this.#note(`cut off ${name}`);
    this.#strikes.add(name, { isHard: true, wellAtMs: untilMs, cutOff: { fromMs, untilMs } });
    found.cable.cutUntilMs = untilMs;
  }

  /** Its machine is wanted elsewhere: it gives back what it has. */
  #terminate(name: string): void {
    const found = this.#alive.get(name);
    if (!found) return;
    this.#strikes.add(name);
    this.#note(`terminate ${name}`);
    this.#alive.delete(name);
    found.stop.abort(new Error('The machine is wanted elsewhere'));
    this.#startWorker(2_000);
  }

  /** Somebody cancels the run from somewhere, and somebody else goes on with it, or two at once. */
  #cancelAndResume(): void {
    const { process, bucket } = this.#newProcess('desk');
    const place = this.#place(bucket);
    const { clock } = process;
    const resuming = patiently(
      async () => {
        const shared = await SharedRun.open(place, RUN);
        if (!shared || shared.round === 0 || shared.isComplete) return;
        if (!shared.isCancelled) await cancelRound(shared, place, { clock, by: process.name });
        await clock.sleep(10_000);
        if (this.#random.next() < 0.5) {
          const other = this.#newProcess('desk');
          this.#watch(other.process.name, this.#resume(other.process, other.bucket));
        }
        await this.#resume(process, bucket);
      },
      { clock },
    );
    this.#watch(process.name, resuming);
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
    this.#watch(process.name, this.#resumeWhenCancelled(process, bucket));
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
      const isOver = this.#shared?.isComplete && this.#time.nowMs > HEALED_AT_MS + 30_000;
      if (isOver && this.#fetching === 0) this.#isDone = await this.#isWhole();
      if (!this.#isDone) this.#time.after(5_000, lookOn);
    };
    const lookOn = () => this.#watch('the watch', look());
    this.#time.after(5_000, lookOn);
  }

  /** Whoever reads it now may find something damaged: then only that is missing, it is said, and somebody resumes the run. */
  async #isWhole(): Promise<boolean> {
    const shared = await SharedRun.open(this.#place(this.#bucket), RUN);
    if (!shared?.isComplete || shared.damaged.length === 0) return shared?.isComplete ?? false;
    if (this.#gonePast.has(shared.round)) return false;
    this.#gonePast.add(shared.round);
    const named = new Set(shared.damaged.map(({ job }) => job));
    for (const { key } of shared.damaged)
      if (!this.#tears.torn.has(key)) this.#seen.push(`${key} was said to be damaged, and was not`);
    for (const job of shared.jobs())
      if (!shared.endOf(job) && !named.has(job)) this.#seen.push(`${job} is missing, and nothing says why`);
    const { process, bucket } = this.#newProcess('desk');
    this.#watch(process.name, this.#resume(process, bucket));
    return false;
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
