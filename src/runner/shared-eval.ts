import { assert, definedOf, messageOf, sampleKeyText, UsageError } from '../base/index.ts';
import type { RunRecord, SegmentShipper } from '../journal/index.ts';
import { BudgetExhausted } from '../targets/index.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { JoinedRun } from './joined-run.ts';
import type { OpenRun } from './open-run.ts';
import type { SegmentPlace } from './places.ts';
import { type ArtifactsOf, earlierRunsOf, type PreparedEval, prepareEval } from './prepare-eval.ts';
import { startShipper } from './run-eval.ts';
import { runToResult, type SamplesToRun } from './run-samples.ts';
import { RunTally } from './run-tally.ts';
import { NO_COSTS } from './sample-costs.ts';
import type { RunSettings, RunTask } from './settings.ts';

export interface SharedEvalOptions {
  /** The run as it was submitted: what is planned here must be the same. */
  readonly run: RunRecord;
  readonly round: number;
  /** Where the writers of the run ship their segments. */
  readonly place: SegmentPlace;
  readonly artifactsOf: ArtifactsOf;
}

/** How an attempt at a sample of a shared run ended; all that it says is in the bucket. */
export interface SharedResult {
  readonly status: 'completed' | 'errored' | 'returned';
  readonly origin?: string;
  readonly reason?: string;
  readonly usd: number;
  /** The money is spent: nothing more of this run can be bought. */
  readonly isBudgetSpent: boolean;
}

export interface SampleToShare {
  /** In the plan. */
  readonly position: number;
  /** Writers that tried it before: what they bought is replayed. */
  readonly earlier: readonly string[];
  readonly signal: AbortSignal;
}

/** One eval on one target, as a worker has it: the same runner as on one machine, one sample at a time. */
export class SharedEval {
  readonly #prepared: PreparedEval;
  readonly #joined: JoinedRun;
  readonly #shipper: SegmentShipper;
  readonly #tally: RunTally;
  readonly #earlier: EarlierRuns;

  private constructor(parts: {
    readonly prepared: PreparedEval;
    readonly joined: JoinedRun;
    readonly shipper: SegmentShipper;
    readonly tally: RunTally;
    readonly earlier: EarlierRuns;
  }) {
    this.#prepared = parts.prepared;
    this.#joined = parts.joined;
    this.#shipper = parts.shipper;
    this.#tally = parts.tally;
    this.#earlier = parts.earlier;
  }

  /** Refuses when what is planned here is not what was submitted: other code, other rows, other packages. */
  static async open(task: RunTask, settings: RunSettings, options: SharedEvalOptions): Promise<SharedEval> {
    const { run, place, artifactsOf } = options;
    const shipped = { ...settings, places: { ...settings.places, segments: place } };
    const prepared = await prepareEval(task, shipped, { artifactsOf });
    try {
      const { plan } = prepared;
      if (plan.digest !== run.identity.plan) throw workerDiffers(run);
      const tally = new RunTally({ target: prepared.target.name, plan, observer: task.observer });
      const joined = await JoinedRun.open(shipped, place, options);
      const shipper = startShipper({ settings: shipped, opened: joined, tally });
      assert(shipper, 'a shared run has a bucket for its segments');
      const earlier = await earlierRunsOf(prepared, {
        onDamage: (sentence) => tally.noteDamage(sentence),
        onNote: (sentence) => tally.note(sentence),
      });
      return new SharedEval({ prepared, joined, shipper, tally, earlier });
    } catch (error) {
      await prepared.dataset.close();
      throw error;
    }
  }

  get writer(): string {
    return this.#joined.writer.record.writer;
  }

  /** Aborted when the journal takes nothing more: this worker can do nothing more for this run. */
  get onFailure(): AbortSignal {
    return this.#joined.writer.onFailure;
  }

  async runSample({ position, earlier, signal }: SampleToShare): Promise<SharedResult> {
    const planned = this.#prepared.plan.samples[position];
    assert(planned, `the plan has no sample ${position}`);
    for (const writer of new Set(earlier))
      for (const problem of await this.#joined.readOther(writer)) this.#tally.noteDamage(problem);
    const name = sampleKeyText(planned.id, planned.epoch);
    const before = this.#joined.journals.attemptsAt(planned.id, planned.epoch).at(-1);
    const tried = new Map(
      before ? [[name, before.status === 'errored' ? 'errored' : 'interrupted'] as const] : [],
    );
    const { onFailure } = this.#joined.writer;
    const task = this.#prepared.task;
    task.observer?.onSampleStart?.(planned);
    const outcome = await runToResult(planned, AbortSignal.any([signal, onFailure]), this.#about(tried));
    if (onFailure.aborted) throw onFailure.reason;
    this.#tally.countEnd(planned, outcome, tried.get(name));
    const { spentUsd: usd } = outcome.totals;
    if (outcome.status === 'interrupted')
      return {
        status: 'returned',
        usd,
        isBudgetSpent: outcome.reason instanceof BudgetExhausted,
        ...definedOf({ reason: outcome.reason === undefined ? undefined : messageOf(outcome.reason) }),
      };
    const origin = this.#joined.writer.reader.attemptsAt(planned.id, planned.epoch).at(-1)?.origin;
    assert(origin, `the attempt at ${name} is not in the journal`);
    return { status: outcome.status, origin, usd, isBudgetSpent: false };
  }

  /** True when all that was durable when it was called is in the bucket. */
  ship(): Promise<boolean> {
    return this.#shipper.ship();
  }

  /** Says in the bucket that nothing follows, if the bucket takes it. */
  async close(): Promise<void> {
    const { writer } = this.#joined;
    if (writer.failure === undefined) await writer.end('interrupted');
    this.#shipper.stop();
    await this.#joined.close();
    await this.#earlier[Symbol.asyncDispose]();
    await this.#prepared.dataset.close();
  }

  #about(tried: ReadonlyMap<string, 'errored' | 'interrupted'>): SamplesToRun {
    const { settings, task, target, dataset, plan, artifacts } = this.#prepared;
    const { run, writer, journals } = this.#joined;
    const opened: Pick<OpenRun, 'run' | 'writer' | 'journals'> = { run, writer, journals };
    const stock = { toDo: [], outputs: new Map(), toReplay: 0, unrecorded: 0, tried, costs: NO_COSTS };
    return {
      ...{ settings, task, target, dataset, plan, artifacts, opened, stock },
      ...{ earlier: this.#earlier, tally: this.#tally, shipper: this.#shipper },
    };
  }
}

function workerDiffers({ runId, identity }: RunRecord): UsageError {
  return new UsageError({
    code: 'E_WORKER_DIFFERS',
    message: `What eval ${identity.eval} would do here is not what was submitted as run ${runId}: its code, its rows or its packages are others.`,
    hint: 'Start this worker with the bundle of the run, and the same versions of Node and of packages.',
  });
}
