import type { Bucket } from '../../../src/bucket/index.ts';
import {
  type JobId,
  type JobResult,
  type LeaseBegun,
  parseJob,
  patiently,
  type WorkAbout,
} from '../../../src/cluster/index.ts';
import type { SimProcess } from './sim-process.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What an outside ledger knows of every answer that was bought. */
export interface Purchase {
  readonly job: JobId;
  /** The number of its lease. */
  readonly n: number;
  readonly call: number;
  readonly by: string;
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
  /** Kills whoever works on it. */
  readonly isPoison: boolean;
}

type Row = { readonly answer: string } | { readonly result: string };

const FLUSH_MS = 5_000;

export interface JournalWorld {
  readonly time: VirtualTime;
  readonly ledger: Purchase[];
  readonly scriptOf: (job: JobId) => JobScript;
  readonly onPoison: (process: SimProcess, job: JobId) => void;
}

/** A process's journal of one run: rows here, and copies of them in the bucket, as segments. */
export class SimJournal {
  readonly writer: string;
  readonly #process: SimProcess;
  readonly #bucket: Bucket;
  readonly #world: JournalWorld;
  readonly #rows: { readonly row: Row; readonly purchase?: Purchase }[] = [];
  #shipped = 0;
  #segments = 0;
  #attempts = 0;
  #shipping: Promise<void> | undefined;

  constructor(process: SimProcess, bucket: Bucket, world: JournalWorld) {
    this.writer = `w-${process.name}`;
    this.#process = process;
    this.#bucket = bucket;
    this.#world = world;
    process.clock.every(FLUSH_MS, () => {
      this.ship().catch(() => undefined);
    });
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

  async work(lease: LeaseBegun, { earlier, signal }: WorkAbout): Promise<JobResult> {
    const { job } = lease;
    const { time, ledger, scriptOf, onPoison } = this.#world;
    const script = scriptOf(job);
    const leaseAtMs = time.nowMs;
    const known = new Set(this.#rows.flatMap(({ row }) => ('answer' in row ? row.answer : [])));
    for (const { begun } of earlier)
      for (const answer of await this.#answersOf(begun.writer, signal)) known.add(answer);
    for (let call = 1; call <= script.calls; call++) {
      const answer = `${job}/${call}`;
      if (known.has(answer)) continue;
      await this.#process.clock.sleep(script.callMs, signal);
      if (script.isPoison) onPoison(this.#process, job);
      signal.throwIfAborted();
      const purchase = {
        job,
        n: lease.n,
        call,
        by: this.#process.name,
        boughtAtMs: time.nowMs,
        leaseAtMs,
        storedAtMs: undefined,
      };
      ledger.push(purchase);
      this.#rows.push({ row: { answer }, purchase });
    }
    const origin = `${this.writer}/${++this.#attempts}`;
    this.#rows.push({ row: { result: `${job} ${origin}` } });
    const { clock } = this.#process;
    await patiently(() => this.ship(), { clock, signal });
    const isBuild = parseJob(job)?.kind === 'build';
    return lease.round < script.worksInRound && !isBuild
      ? { status: 'errored', origin, reason: 'it fails' }
      : { status: 'completed', origin };
  }

  async #answersOf(writer: string, signal: AbortSignal): Promise<readonly string[]> {
    const { clock } = this.#process;
    const rows = await patiently(() => readWriter(this.#bucket, writer), { clock, signal });
    return rows.flatMap((row) => ('answer' in row ? row.answer : []));
  }
}

export const SEGMENTS = 'run/segments/';

export async function readWriter(bucket: Bucket, writer: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { key } of bucket.list(`${SEGMENTS}${writer}/`))
    rows.push(...rowsIn(await bucket.read(key)));
  return rows;
}

/** The rows of a segment that was just stored: when that was goes into the ledger. */
export function noteStored(
  ledger: readonly Purchase[],
  bytes: Uint8Array,
  { by, nowMs }: { by: string; nowMs: number },
): void {
  const answers = new Set(rowsIn(bytes).flatMap((row) => ('answer' in row ? row.answer : [])));
  for (const purchase of ledger)
    if (purchase.by === by && answers.has(`${purchase.job}/${purchase.call}`)) purchase.storedAtMs ??= nowMs;
}

function rowsIn(bytes: Uint8Array | undefined): readonly Row[] {
  return bytes ? (JSON.parse(Buffer.from(bytes).toString('utf8')) as Row[]) : [];
}

function segmentKey(writer: string, n: number): string {
  return `${SEGMENTS}${writer}/${String(n).padStart(6, '0')}`;
}
