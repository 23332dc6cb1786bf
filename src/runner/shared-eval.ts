import type { Pin } from '../artifacts/index.ts';
import { assert, definedOf, messageOf, sampleKeyText, UsageError } from '../base/index.ts';
import type { RunRecord, SegmentShipper } from '../journal/index.ts';
import type { FoundSample } from '../reuse/index.ts';
import { BudgetExhausted } from '../targets/index.ts';
import { pinsIn } from './artifacts/earlier-pins.ts';
import { lookForArtifacts } from './artifacts/look-for.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { JoinedRun, type JoinOptions } from './joined-run.ts';
import type { Counted } from './ledger.ts';
import { earlierRunsOf, type PreparedEval, prepareEval } from './prepare-eval.ts';
import { startShipper } from './run-eval.ts';
import type { SampleOutcome } from './run-sample.ts';
import { runToResult, type SamplesToRun } from './run-samples.ts';
import { RunTally } from './run-tally.ts';
import { NO_COSTS } from './sample-costs.ts';
import type { RunSettings, RunTask } from './settings.ts';

export interface SampleToShare {
  /** In the plan. */
  readonly position: number;
  /** Writers that tried it before: what they bought is replayed. */
  readonly earlier: readonly string[];
  /** An output that stands: only scoring is left. */
  readonly kept?: FoundSample | undefined;
  readonly signal: AbortSignal;
}

/** How a sample ended. A result is durable here; whether the bucket has it, `ship` says. */
export interface SharedResult {
  readonly outcome: SampleOutcome;
  /** The attempt that is the result; undefined when there is none. */
  readonly origin?: string;
  /** Why there is none. */
  readonly reason?: string;
  /** The money is spent: nothing more of this run can be bought. */
  readonly isBudgetSpent: boolean;
  readonly counted: Counted;
}

/** One eval on one target, as a worker has it: the same runner as on one machine, one sample at a time. */
export class SharedEval {
  readonly #prepared: PreparedEval;
  readonly #joined: JoinedRun;
  readonly #shipper: SegmentShipper | undefined;
  readonly #earlier: EarlierRuns;

  private constructor(parts: {
    readonly prepared: PreparedEval;
    readonly joined: JoinedRun;
    readonly shipper: SegmentShipper | undefined;
    readonly earlier: EarlierRuns;
  }) {
    this.#prepared = parts.prepared;
    this.#joined = parts.joined;
    this.#shipper = parts.shipper;
    this.#earlier = parts.earlier;
  }

  /** Refuses when what is planned here is not what was submitted: other code, other rows, other packages. */
  static async open(task: RunTask, settings: RunSettings, options: JoinOptions): Promise<SharedEval> {
    const { run, place } = options;
    const { places } = settings;
    const shipping = place ? { ...settings, places: { ...places, segments: place } } : settings;
    const prepared = await prepareEval(task, shipping, {
      // What is not there is built by nobody here: samples that need it are not handed out.
      artifactsOf: ({ dataset }) =>
        lookForArtifacts({
          ...{ task, settings: shipping, dataset },
          unfinished: async () => ({ pins: pinsOf(run), paid: new Map() }),
          onNote: (text) => task.observer?.onNote?.(text),
        }),
    });
    try {
      if (prepared.plan.digest !== run.identity.plan) throw workerDiffers(run);
      const tally = tallyOf(prepared);
      const joined = await JoinedRun.open(shipping, options);
      const shipper = startShipper({ settings: shipping, opened: joined, tally });
      const earlier = await earlierRunsOf(prepared, {
        onDamage: (sentence) => tally.noteDamage(sentence),
        onNote: (sentence) => tally.note(sentence),
      });
      return new SharedEval({ prepared, joined, shipper, earlier });
    } catch (error) {
      await prepared.dataset.close();
      throw error;
    }
  }

  get writer(): string {
    return this.#joined.writer.record.writer;
  }

  async runSample({ position, earlier, kept, signal }: SampleToShare): Promise<SharedResult> {
    const planned = this.#prepared.plan.samples[position];
    assert(planned, `the plan has no sample ${position}`);
    const tally = tallyOf(this.#prepared);
    for (const writer of new Set(earlier))
      for (const problem of await this.#joined.readOther(writer)) tally.noteDamage(problem);
    const name = sampleKeyText(planned.id, planned.epoch);
    const before = this.#joined.journals.attemptsAt(planned.id, planned.epoch).at(-1);
    const tried = before ? [[name, before.status === 'errored' ? 'errored' : 'interrupted'] as const] : [];
    const { onFailure } = this.#joined.writer;
    const about = this.#about({ tally, tried: new Map(tried), outputs: new Map(kept ? [[name, kept]] : []) });
    const outcome = await runToResult(planned, AbortSignal.any([signal, onFailure]), about);
    if (onFailure.aborted) throw onFailure.reason;
    const { reason } = outcome;
    const isOver = outcome.status !== 'interrupted';
    const own = this.#joined.writer.reader.attemptsAt(planned.id, planned.epoch).at(-1);
    assert(!isOver || own, `the attempt at ${name} is not in the journal`);
    return {
      ...{ outcome, counted: tally.ledger.counted(), isBudgetSpent: reason instanceof BudgetExhausted },
      ...definedOf({
        origin: isOver ? own?.origin : undefined,
        reason: reason === undefined ? undefined : messageOf(reason),
      }),
    };
  }

  /** True when all that was durable when it was called is in the bucket. */
  async ship(): Promise<boolean> {
    return (await this.#shipper?.ship()) ?? true;
  }

  /** Says, in the bucket as well if it takes it, that nothing follows. */
  async close(): Promise<void> {
    const { writer } = this.#joined;
    if (writer.failure === undefined) await writer.end('interrupted');
    this.#shipper?.stop();
    await this.#joined.close();
    await this.#earlier[Symbol.asyncDispose]();
    await this.#prepared.dataset.close();
  }

  #about(one: Pick<SamplesToRun, 'tally'> & Pick<SamplesToRun['stock'], 'tried' | 'outputs'>): SamplesToRun {
    const { settings, task, target, dataset, plan, artifacts } = this.#prepared;
    const { run, writer, journals } = this.#joined;
    const { tally, tried, outputs } = one;
    const stock = {
      toDo: [],
      outputs,
      toReplay: 0,
      refused: 0,
      unrecorded: { code: 0, artifacts: 0 },
      tried,
      costs: NO_COSTS,
    };
    return {
      ...{ settings, task, target, dataset, plan, artifacts, opened: { run, writer, journals }, stock },
      ...{ earlier: this.#earlier, tally, shipper: this.#shipper },
    };
  }
}

function pinsOf({ start }: RunRecord): ReadonlyMap<string, Pin> {
  return new Map(pinsIn(start.eval.metadata).map((pin) => [pin.recipe, pin]));
}

function tallyOf({ task, target, plan }: PreparedEval): RunTally {
  return new RunTally({ target: target.name, plan, observer: task.observer });
}

function workerDiffers({ runId, identity }: RunRecord): UsageError {
  return new UsageError({
    code: 'E_WORKER_DIFFERS',
    message: `What eval ${identity.eval} would do here is not what was submitted as run ${runId}: its code, its rows or its packages are others.`,
    hint: 'Start this worker with the bundle of the run, and the same versions of Node and of packages.',
  });
}
