import type { Pin } from '../artifacts/index.ts';
import { assert, definedOf, messageOf, type SampleKey, sampleKeyText, UsageError } from '../base/index.ts';
import type { RunRecord, SegmentShipper } from '../journal/index.ts';
import type { FoundSample } from '../reuse/index.ts';
import type { HeardCall, OnFolder } from '../targets/index.ts';
import { SharedArtifacts, type SharedBuild } from './artifacts/shared-artifacts.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import { JoinedRun, type JoinOptions } from './joined-run.ts';
import type { Counted } from './ledger.ts';
import type { PlannedSample } from './plan.ts';
import { earlierRunsOf, type PreparedEval, prepareEval } from './prepare-eval.ts';
import { runEval, startShipper } from './run-eval.ts';
import type { SampleOutcome } from './run-sample.ts';
import { runToResult, type SamplesToRun } from './run-samples.ts';
import { RunTally } from './run-tally.ts';
import { NO_COSTS } from './sample-costs.ts';
import { scorersFailedIn } from './scorer-failure.ts';
import type { RunSettings, RunTask } from './settings.ts';

export interface SampleToShare {
  /** In the plan. */
  readonly position: number;
  /** Writers that tried it before: what they bought is replayed. */
  readonly earlier: readonly string[];
  /** An output that stands: only scoring is left. */
  readonly kept?: FoundSample | undefined;
  /** Told each folder in which an attempt at it works. */
  readonly onFolder?: OnFolder | undefined;
  readonly signal: AbortSignal;
}

/** How a sample ended. A result is durable here; whether the bucket has it, `ship` says. */
export interface SharedResult {
  readonly outcome: SampleOutcome;
  /** The attempt that is the result; undefined when there is none. */
  readonly origin?: string;
  /** Why there is none. */
  readonly reason?: string;
  /** Scorers that failed on it. */
  readonly scorersFailed: readonly string[];
  readonly counted: Counted;
  /** Sentences about what could not be read of what was paid for. */
  readonly damage: readonly string[];
}

/** One eval on one target, as a worker has it: the same runner as on one machine, one sample at a time. */
export class SharedEval {
  readonly #prepared: PreparedEval;
  readonly #artifacts: SharedArtifacts | undefined;
  readonly #joined: JoinedRun;
  readonly #shipper: SegmentShipper | undefined;
  readonly #earlier: EarlierRuns;

  private constructor(parts: {
    readonly prepared: PreparedEval;
    readonly artifacts: SharedArtifacts | undefined;
    readonly joined: JoinedRun;
    readonly shipper: SegmentShipper | undefined;
    readonly earlier: EarlierRuns;
  }) {
    this.#prepared = parts.prepared;
    this.#artifacts = parts.artifacts;
    this.#joined = parts.joined;
    this.#shipper = parts.shipper;
    this.#earlier = parts.earlier;
  }

  /** Refuses when what is planned here is not what was submitted: other code, other rows, other packages. */
  static async open(task: RunTask, settings: RunSettings, options: JoinOptions): Promise<SharedEval> {
    const { run, place } = options;
    const { places } = settings;
    const shipping = place ? { ...settings, places: { ...places, segments: place } } : settings;
    let artifacts: SharedArtifacts | undefined;
    const prepared = await prepareEval(task, shipping, {
      artifactsOf: async ({ dataset }) => {
        artifacts = await SharedArtifacts.open({
          ...{ task, settings: shipping, dataset, run, place, runTask: runEval },
        });
        return artifacts?.artifacts;
      },
    });
    try {
      if (prepared.plan.digest !== run.identity.plan) throw workerDiffers(run);
      const tally = tallyOf(prepared);
      const joined = await JoinedRun.open(shipping, { ...options, isBrief: task.eval.isIsolated });
      const shipper = startShipper({ settings: shipping, opened: joined, tally });
      const earlier = await earlierRunsOf(prepared, {
        onDamage: (sentence) => tally.noteDamage(sentence),
        onNote: (sentence) => tally.note(sentence),
      });
      return new SharedEval({ prepared, artifacts, joined, shipper, earlier });
    } catch (error) {
      await prepared.dataset.close();
      throw error;
    }
  }

  /** Which sample of the plan it is. */
  sampleAt(position: number): SampleKey {
    const { id, epoch } = this.#sampleAt(position);
    return { id, epoch };
  }

  /** Takes out of a text what must not be kept. */
  redact(text: string): string {
    return this.#prepared.task.models.redact(text);
  }

  /** A value that is kept nowhere from now on. */
  addSecret(secret: string | undefined): void {
    this.#prepared.task.models.addSecret(secret);
  }

  get writer(): string {
    return this.#joined.writer.record.writer;
  }

  /** Why its journal takes nothing more; undefined as long as it does. */
  get failure(): unknown {
    return this.#joined.writer.failure;
  }

  /** Aborted with the reason when the first calls of this process all failed alike [CALL-2]: to go on would only burn the rest. */
  get hopeless(): AbortSignal {
    return this.#prepared.task.models.calls.stop;
  }

  /** Tells what the calls of this process come to, to whoever counts those of several together. */
  tellCalls(onCall: (call: HeardCall) => void): void {
    this.#prepared.task.models.calls.onCall = onCall;
  }

  /** What another worker has built: it comes from the store, is verified, and is what samples are planned with from then on. */
  async pin(pin: Pin): Promise<void> {
    await this.#artifacts?.pin(pin);
  }

  /** A build failed, this one's own or that of something that it is made of: samples that need it fail with that. */
  refuse(recipe: string, failed: { readonly recipe: string; readonly reason: string }): void {
    this.#artifacts?.refuse(recipe, failed);
  }

  /** Another round begins: what could not be had is looked for anew. */
  tryAgain(): void {
    this.#artifacts?.tryAgain();
  }

  /** Builds one unit as a run of its own. `earlier`: who tried it before; what they bought is replayed. Throws while the store is away. */
  async build(
    recipe: string,
    { signal, earlier, onFolder }: Pick<SampleToShare, 'signal' | 'earlier' | 'onFolder'>,
  ): Promise<SharedBuild> {
    assert(this.#artifacts, 'an eval that requires nothing has no builds');
    return await this.#artifacts.build(recipe, { signal, onFolder, wasBegun: earlier.length > 0 });
  }

  /** Makes ready what a sample reads. Throws while the store is away. */
  async ready(position: number): Promise<void> {
    await this.#artifacts?.readyFor(this.#sampleAt(position).index);
  }

  async runSample({ position, earlier, kept, onFolder, signal }: SampleToShare): Promise<SharedResult> {
    await this.ready(position);
    const planned = this.#sampleAt(position);
    const tally = tallyOf(this.#prepared);
    for (const writer of new Set(earlier))
      for (const problem of await this.#joined.readOther(writer)) tally.noteDamage(problem);
    const name = sampleKeyText(planned.id, planned.epoch);
    await using lent = this.#joined.lend(earlier);
    const { journals } = lent;
    const before = journals.attemptsAt(planned.id, planned.epoch).at(-1);
    const tried = before ? [[name, before.status === 'errored' ? 'errored' : 'interrupted'] as const] : [];
    const { onFailure } = this.#joined.writer;
    const outputs = new Map(kept ? [[name, kept]] : []);
    const about = this.#about({ journals, tally, tried: new Map(tried), outputs, onFolder });
    const outcome = await runToResult(planned, AbortSignal.any([signal, onFailure]), about);
    if (onFailure.aborted) throw onFailure.reason;
    const { reason } = outcome;
    const isOver = outcome.status !== 'interrupted';
    const own = this.#joined.writer.reader.attemptsAt(planned.id, planned.epoch).at(-1);
    assert(!isOver || own, `the attempt at ${name} is not in the journal`);
    return {
      ...{ outcome, counted: tally.ledger.counted(), damage: tally.damage },
      scorersFailed: scorersFailedIn(outcome.fields?.scores ?? {}),
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

  #sampleAt(position: number): PlannedSample {
    const planned = this.#prepared.plan.samples[position];
    assert(planned, `the plan has no sample ${position}`);
    return planned;
  }

  #about(
    one: Pick<SamplesToRun, 'tally'> &
      Pick<SamplesToRun['opened'], 'journals'> &
      Pick<SamplesToRun['stock'], 'tried' | 'outputs'> &
      Pick<SampleToShare, 'onFolder'>,
  ): SamplesToRun {
    const { task, target, dataset, plan, artifacts } = this.#prepared;
    const { run, writer } = this.#joined;
    const { journals, tally, tried, outputs, onFolder } = one;
    const settings = { ...this.#prepared.settings, onFolder };
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
