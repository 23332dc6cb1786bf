import { currentOf } from '../../../src/artifacts/generation.ts';
import type { Manifest } from '../../../src/artifacts/index.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import {
  type JobId,
  type JobResult,
  type LeaseBegun,
  type LeaseBook,
  parseJob,
  patiently,
  type RunSession,
  type WorkAbout,
} from '../../../src/cluster/index.ts';
import { makeGeneration, type SimBuilt, simPin, storedGenerations, storeGeneration } from './sim-builds.ts';
import type { SimProcess } from './sim-process.ts';
import { LOST_MAX } from './sim-submission.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What an outside ledger knows of every answer that was bought. */
export interface Purchase {
  readonly job: JobId;
  /** The number of its lease. */
  readonly n: number;
  readonly call: number;
  readonly by: string;
  /** The session in which it was bought: each has a journal of its own. */
  readonly writer: string;
  readonly boughtAtMs: number;
  /** When the lease began under which it was bought. */
  readonly leaseAtMs: number;
  /** When a segment with it was in the bucket; undefined when it never was. */
  storedAtMs: number | undefined;
}

/** How a job behaves, whoever does it. */
export interface JobScript {
  readonly calls: number;
  readonly callMs: number;
  /** In which round it works at last; before, it ends errored. */
  readonly worksInRound: number;
  /** Kills what runs it: the worker, or only its session. */
  readonly isPoison: boolean;
  readonly killsWorker: boolean;
}

type Row = { readonly answer: string } | { readonly result: string };

const FLUSH_MS = 5_000;
const LAST_SHIP_MS = 3_000;

export interface SessionWorld {
  readonly time: VirtualTime;
  readonly ledger: Purchase[];
  readonly built: SimBuilt[];
  readonly book: LeaseBook;
  /** Which of all sessions it is. */
  readonly n: number;
  readonly scriptOf: (job: JobId) => JobScript;
  readonly onPoison: (job: JobId) => void;
  /** Opens one for one job; absent for such a one. */
  readonly apart?: (() => Promise<RunSession>) | undefined;
}

/**
 * What runs the code of the run for one worker, and its journal: rows here, and copies of them in the bucket, as segments. When it dies
 * its worker lives on, and what it had not sent is lost with it.
 */
export class SimSession implements RunSession {
  readonly writer: string;
  readonly book: LeaseBook;
  readonly lostMax = LOST_MAX;
  readonly apart: RunSession['apart'];
  readonly #death = new AbortController();
  readonly #flush: Disposable;
  readonly #process: SimProcess;
  readonly #bucket: Bucket;
  readonly #world: SessionWorld;
  readonly #rows: { readonly row: Row; readonly purchase?: Purchase }[] = [];
  #shipped = 0;
  #segments = 0;
  #attempts = 0;
  #shipping: Promise<void> | undefined;

  constructor(process: SimProcess, bucket: Bucket, world: SessionWorld) {
    this.writer = `w${world.n}-${process.name}`;
    this.book = world.book;
    this.apart = world.apart;
    this.#process = process;
    this.#bucket = bucket;
    this.#world = world;
    this.#flush = process.clock.every(FLUSH_MS, () => {
      this.ship().catch(() => undefined);
    });
  }

  get isGone(): boolean {
    return this.#death.signal.aborted;
  }

  /** What it has goes to the bucket first, if that takes it. */
  async close(): Promise<void> {
    if (this.isGone) return;
    await this.ship().catch(() => undefined);
    this.die();
  }

  die(): void {
    this.#flush[Symbol.dispose]();
    this.#death.abort(new Error('its process ended'));
  }

  /** One segment after the other; all that was there when it was called is in the bucket when it resolves. */
  async ship(): Promise<void> {
    const target = this.#rows.length;
    while (this.#shipped < target) {
      this.#shipping ??= this.#shipOne().finally(() => {
        this.#shipping = undefined;
      });
      await this.#shipping;
    }
  }

  async #shipOne(): Promise<void> {
    const rows = this.#rows.slice(this.#shipped);
    const key = segmentKey(this.writer, this.#segments + 1);
    const bytes = Buffer.from(JSON.stringify(rows.map(({ row }) => row)));
    const isNew = await this.#bucket.create(key, bytes);
    let count = rows.length;
    if (!isNew) count = rowsIn(await this.#bucket.read(key)).length;
    this.#segments++;
    this.#shipped += count;
  }

  /** Nothing is heard of what a session does as it dies. */
  async work(lease: LeaseBegun, { earlier, signal }: WorkAbout): Promise<JobResult> {
    const death = this.#death.signal;
    const working = this.#work(lease, { earlier, signal: AbortSignal.any([signal, death]) });
    const { promise: died, reject } = Promise.withResolvers<never>();
    const onDeath = () => reject(death.reason);
    if (this.isGone) onDeath();
    death.addEventListener('abort', onDeath);
    try {
      return await Promise.race([working, died]);
    } finally {
      death.removeEventListener('abort', onDeath);
    }
  }

  /** As in `EvalSession`: what was bought is sent before the job is given back, if the bucket takes it in time. Whoever has it next replays it. */
  async #work(lease: LeaseBegun, about: WorkAbout): Promise<JobResult> {
    try {
      return await this.#try(lease, about);
    } catch (error) {
      const { clock } = this.#process;
      if (!this.isGone) await Promise.race([this.ship().catch(() => undefined), clock.sleep(LAST_SHIP_MS)]);
      throw error;
    }
  }

  async #try(lease: LeaseBegun, { earlier, signal }: WorkAbout): Promise<JobResult> {
    const { job } = lease;
    const { time, ledger, scriptOf, onPoison } = this.#world;
    const script = scriptOf(job);
    const leaseAtMs = time.nowMs;
    const known = new Set(this.#rows.flatMap(({ row }) => ('answer' in row ? row.answer : [])));
    for (const writer of await this.#writersOf(earlier, signal))
      for (const answer of await this.#answersOf(writer, signal)) known.add(answer);
    for (let call = 1; call <= script.calls; call++) {
      const answer = `${job}/${call}`;
      if (known.has(answer)) continue;
      await this.#process.clock.sleep(script.callMs, signal);
      if (script.isPoison) onPoison(job);
      signal.throwIfAborted();
      const purchase = {
        job,
        n: lease.n,
        call,
        by: this.#process.name,
        writer: this.writer,
        boughtAtMs: time.nowMs,
        leaseAtMs,
        storedAtMs: undefined,
      };
      ledger.push(purchase);
      this.#rows.push({ row: { answer }, purchase });
    }
    signal.throwIfAborted();
    const origin = `${this.writer}/${++this.#attempts}`;
    this.#rows.push({ row: { result: `${job} ${origin}` } });
    const { clock } = this.#process;
    await patiently(() => this.ship(), { clock, signal });
    if (parseJob(job)?.kind === 'build')
      return { status: 'completed', origin, pin: simPin(await this.#build(job, signal)) };
    return lease.round < script.worksInRound
      ? { status: 'errored', origin, reason: 'it fails' }
      : { status: 'completed', origin };
  }

  /** What the store has is not made again; what is made is there before it is said [SHR-13]. */
  async #build(job: JobId, signal: AbortSignal): Promise<Manifest> {
    const { clock, name } = this.#process;
    const there = await patiently(() => storedGenerations(this.#bucket, job), { clock, signal });
    const known = currentOf(there);
    if (known) return known;
    // Clocks may be wrong by five minutes; two that build at once are two.
    const atMs = clock.nowMs() - 1_700_000_000_000 + 600_000;
    const made = makeGeneration(job, 100 * Math.round(atMs) + 2 * (this.#world.n % 50));
    this.#world.built.push({ by: name, job, made });
    await patiently(() => storeGeneration(this.#bucket, job, made), { clock, signal });
    return made.manifest;
  }

  /** Where it cannot be read whose an earlier lease was, it may have been anybody's, as in `EvalSession`. */
  async #writersOf(earlier: WorkAbout['earlier'], signal: AbortSignal): Promise<readonly string[]> {
    const writers = earlier.map(({ begun }) => begun.writer);
    if (!writers.includes('unknown')) return writers;
    return await patiently(() => allWriters(this.#bucket), { clock: this.#process.clock, signal });
  }

  async #answersOf(writer: string, signal: AbortSignal): Promise<readonly string[]> {
    const { clock } = this.#process;
    const rows = await patiently(() => readWriter(this.#bucket, writer), { clock, signal });
    return rows.flatMap((row) => ('answer' in row ? row.answer : []));
  }
}

export const SEGMENTS = 'run/segments/';

export async function allWriters(bucket: Bucket): Promise<readonly string[]> {
  const writers = new Set<string>();
  for await (const { key } of bucket.list(SEGMENTS)) writers.add(writerOf(key));
  return [...writers];
}

export async function readWriter(bucket: Bucket, writer: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { key } of bucket.list(`${SEGMENTS}${writer}/`))
    rows.push(...rowsIn(await bucket.read(key)));
  return rows;
}

/** What all of them have shipped, by their names. */
export async function readWriters(bucket: Bucket): Promise<ReadonlyMap<string, readonly Row[]>> {
  const keys = (await Array.fromAsync(bucket.list(SEGMENTS))).map(({ key }) => key);
  const read = await Promise.all(keys.map(async (key) => ({ key, rows: rowsIn(await bucket.read(key)) })));
  const all = new Map<string, Row[]>();
  for (const { key, rows } of read) all.set(writerOf(key), [...(all.get(writerOf(key)) ?? []), ...rows]);
  return all;
}

function writerOf(key: string): string {
  return key.slice(SEGMENTS.length).split('/')[0] ?? '';
}

/** The rows of a segment that was just stored: when that was goes into the ledger. */
export function noteStored(
  ledger: readonly Purchase[],
  bytes: Uint8Array,
  { writer, nowMs }: { writer: string; nowMs: number },
): void {
  const answers = new Set(rowsIn(bytes).flatMap((row) => ('answer' in row ? row.answer : [])));
  for (const purchase of ledger)
    if (purchase.writer === writer && answers.has(`${purchase.job}/${purchase.call}`))
      purchase.storedAtMs ??= nowMs;
}

function rowsIn(bytes: Uint8Array | undefined): readonly Row[] {
  return bytes ? (JSON.parse(Buffer.from(bytes).toString('utf8')) as Row[]) : [];
}

function segmentKey(writer: string, n: number): string {
  return `${SEGMENTS}${writer}/${String(n).padStart(6, '0')}`;
}
