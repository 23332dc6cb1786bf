import { type Random, seededRandom } from '../../../src/base/index.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import {
  beginRound,
  createSubmission,
  findNotHome,
  joinPurse,
  SharedRun,
  type Submission,
  yieldToRival,
} from '../../../src/cluster/index.ts';
import { pursesPrefix, SharedKeys } from '../../../src/cluster/shared-keys.ts';
import { memoryBucket } from '../memory-bucket.ts';
import { bucketOf } from './sim-bucket.ts';
import { SimProcess } from './sim-process.ts';
import { makeSubmission } from './sim-submission.ts';
import { VirtualTime } from './virtual-time.ts';

const END_MS = 120_000;
/** `yieldToRival` waits so long for one that neither begins nor withdraws. */
const UNDECIDED_MS = 10_000;

/** How a submit ended: it goes on, yields to another run, saw that one before, or died. */
interface Submit {
  readonly run: string;
  end?: 'goes on' | 'died' | { readonly yieldsTo: string } | { readonly refusedFor: string };
}

/** Two or three submit the same samples in the same moment, each as a run of its own, over a network that may be bad. */
export async function problemsOfRivals(seed: number): Promise<readonly string[]> {
  const scene = new RivalScene(seed);
  return await scene.play();
}

class RivalScene {
  readonly #seed: number;
  readonly #random: Random;
  readonly #time = new VirtualTime();
  readonly #createdAtMs = new Map<string, number>();
  readonly #bucket: Bucket;
  readonly #submission: Submission;
  readonly #faultShare: number;
  readonly #submits: Submit[] = [];
  readonly #frozen = new Set<string>();

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed + 6);
    const bucket = memoryBucket({ nowMs: () => this.#time.nowMs });
    this.#bucket = {
      ...bucket,
      create: async (key, bytes) => {
        if (!this.#createdAtMs.has(key)) this.#createdAtMs.set(key, this.#time.nowMs);
        return await bucket.create(key, bytes);
      },
    };
    this.#submission = makeSubmission(this.#random);
    this.#faultShare = this.#random.next() < 0.6 ? 0 : 0.1 * this.#random.next();
  }

  async play(): Promise<readonly string[]> {
    const count = this.#random.next() < 0.7 ? 2 : 3;
    for (let who = 0; who < count; who++) this.#start(who);
    await this.#time.run({ untilMs: END_MS });
    return await this.#problems();
  }

  #start(who: number): void {
    const random = seededRandom(this.#seed * 10 + who);
    // Ids begin with the time, by clocks that differ.
    const run = `r${Math.floor(1e9 * random.next())}`;
    const process = new SimProcess(run, { time: this.#time, random, skewMs: 0 });
    const weather = { faultShare: this.#faultShare, awayUntilMs: 0 };
    const world = { bucket: this.#bucket, time: this.#time, random, weather, cable: { cutUntilMs: 0 } };
    const submit: Submit = { run };
    this.#submits.push(submit);
    this.#time.after(150 * random.next(), () => {
      this.#submit(submit, process, bucketOf(process, world)).catch(() => {
        submit.end = 'died';
      });
    });
    if (random.next() < 0.4) this.#freeze(process, random);
  }

  #freeze(process: SimProcess, random: Random): void {
    this.#frozen.add(process.name);
    const fromMs = 500 * random.next();
    this.#time.after(fromMs, () => process.freeze());
    this.#time.after(fromMs + 20_000 * random.next() ** 2, () => process.thaw());
  }

  /** What `submit` does, in its order. */
  async #submit(submit: Submit, { clock }: SimProcess, bucket: Bucket): Promise<void> {
    const { run } = submit;
    const place = { bucket, prefix: '' };
    const isSame = ({ work }: Submission) => work.file === this.#submission.work.file;
    const found = await findNotHome(place, isSame);
    if (found) {
      submit.end = { refusedFor: found.run };
      return;
    }
    const purse = `purse of ${run}`.replaceAll(' ', '-');
    await bucket.create(`${run}/lenders/log`, new Uint8Array());
    await joinPurse(place, { purse, run });
    await createSubmission(place, { ...this.#submission, run, by: run, purse });
    const shared = await SharedRun.open(place, run);
    if (!shared) throw new Error(`the submission of ${run} is gone`);
    const rival = await yieldToRival(shared, place, { clock, isSame });
    if (rival) submit.end = { yieldsTo: rival.run };
    if (rival) return;
    await beginRound(shared, place, { clock, by: run });
    submit.end = 'goes on';
  }

  async #problems(): Promise<readonly string[]> {
    const problems: string[] = [];
    const begun = this.#submits.filter(({ run }) => this.#atMs(run, 'round') !== undefined);
    for (const { run, end } of this.#submits) {
      if (end === undefined) problems.push(`the submit of ${run} never ended`);
      if (typeof end === 'object' && 'yieldsTo' in end)
        problems.push(...(await this.#leftOf(run, end.yieldsTo)));
    }
    const [first, ...later] = begun.toSorted(
      (a, b) => (this.#atMs(a.run, 'round') ?? 0) - (this.#atMs(b.run, 'round') ?? 0),
    );
    // Whoever did not decide for so long is taken for dead, and may wake up.
    const isTakenForDead = ({ run, end }: Submit) => this.#frozen.has(run) || end === 'died';
    const isExcused = later.every(isTakenForDead) && first && this.#waitedMs(first.run) > UNDECIDED_MS;
    if (later.length > 0 && !isExcused)
      problems.push(`more than one goes on: ${begun.map(({ run }) => run).join(', ')}`);
    const hasDied = this.#submits.some(({ end }) => end === 'died');
    if (begun.length === 0 && !hasDied) problems.push('none goes on');
    if (this.#faultShare === 0 && hasDied) problems.push('one died, although nothing went wrong');
    return problems;
  }

  /** Whoever yields leaves nothing, and to one that is there. */
  async #leftOf(run: string, winner: string): Promise<readonly string[]> {
    const problems: string[] = [];
    for await (const { key } of this.#bucket.list(`${run}/`))
      problems.push(`${run} yielded, and left ${key}`);
    for await (const { key } of this.#bucket.list(pursesPrefix('')))
      if (key.endsWith(`/${run}`)) problems.push(`${run} yielded, and left its purse`);
    // That one may have yielded itself, to a third.
    const isThere = await this.#bucket.stat(new SharedKeys('', winner).submission);
    const { end } = this.#submits.find((one) => one.run === winner) ?? {};
    if (!isThere && (typeof end !== 'object' || !('yieldsTo' in end)))
      problems.push(`${run} yielded to ${winner}, which is gone`);
    return problems;
  }

  #waitedMs(run: string): number {
    return (this.#atMs(run, 'round') ?? 0) - (this.#atMs(run, 'submission') ?? 0);
  }

  #atMs(run: string, what: 'submission' | 'round'): number | undefined {
    const keys = new SharedKeys('', run);
    return this.#createdAtMs.get(what === 'round' ? keys.round(1) : keys.submission);
  }
}
