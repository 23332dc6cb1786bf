import type { Clock, JsonObject } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { LogFile, LogHeader } from '../log/index.ts';
import type { SampleScores } from '../stats/index.ts';
import { openCopy } from './buffered-attempts.ts';
import type { FlushedLog } from './flushed-log.ts';
import type { PlannedSample, RecoveryPlan } from './plan-recovery.ts';
import { rebuildSample } from './rebuild-sample.ts';
import { RecoveredWriter } from './recovered-writer.ts';
import { decideOutcome } from './recovery-outcome.ts';
import { SampleAccounts } from './sample-accounts.ts';
import type { BufferedAttempt } from './sample-copies.ts';

export interface ApplyOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly flushed: FlushedLog | undefined;
  readonly withEvents: boolean;
  /** What the log says of its recovery, from the account as it stands when all samples are written. */
  readonly metadata: (accounts: SampleAccounts) => LogHeader['metadata'];
  readonly onProgress?: (done: number, total: number) => void;
}

export interface AppliedRecovery {
  readonly header: LogHeader;
  readonly samples: number;
  readonly accounts: SampleAccounts;
  readonly notFinalized: string | undefined;
  /** How many events were written of each attempt that was rebuilt. */
  readonly written: ReadonlyMap<BufferedAttempt, number>;
}

/** Writes the log that was planned. A copy that cannot be read gives way to the next, and says so. */
export function applyRecovery(
  plan: RecoveryPlan,
  file: LogFile,
  options: ApplyOptions,
): Promise<AppliedRecovery> {
  return new Application(plan, file, options).run();
}

class Application {
  readonly #plan: RecoveryPlan;
  readonly #options: ApplyOptions;
  readonly #writer: RecoveredWriter;
  readonly #accounts: SampleAccounts;
  readonly #written = new Map<BufferedAttempt, number>();

  constructor(plan: RecoveryPlan, file: LogFile, options: ApplyOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#accounts = new SampleAccounts(plan);
    this.#writer = new RecoveredWriter(file, { ...options, facts: plan.facts });
  }

  async run(): Promise<AppliedRecovery> {
    const writer = this.#writer;
    await writer.begin();
    const numbers = await writer.results(this.#writeSamples());
    const { notFinalized, ...outcome } = decideOutcome({
      facts: this.#plan.facts,
      counts: this.#accounts.counts(),
      decision: this.#plan.decision,
      isWritten: (key) => writer.has(key),
      written: writer.samples,
      failed: writer.failed,
    });
    const metadata = this.#options.metadata(this.#accounts);
    const header = await writer.finish({ ...outcome, metadata }, numbers);
    const [accounts, written] = [this.#accounts, this.#written];
    return { header, samples: writer.samples, accounts, notFinalized, written };
  }

  async *#writeSamples(): AsyncGenerator<SampleScores> {
    const { samples } = this.#plan;
    for (const [index, planned] of samples.entries()) {
      const scores = await this.#writeBest(planned);
      if (scores) yield scores;
      else this.#accounts.lost(planned.key);
      this.#options.onProgress?.(index + 1, samples.length);
    }
  }

  async #writeBest(planned: PlannedSample): Promise<SampleScores | undefined> {
    const { flushed } = this.#options;
    for (const copy of planned.copies) {
      if (copy.from === 'buffers') return this.#rebuild(planned, copy);
      const scores = flushed && (await this.#writer.keep(flushed, copy.key));
      if (!scores) continue;
      this.#accounts.kept(planned, { id: scores.id, from: flushed.kind });
      return scores;
    }
    return undefined;
  }

  async #rebuild(planned: PlannedSample, attempt: BufferedAttempt): Promise<SampleScores> {
    const { facts, decision } = this.#plan;
    const { withEvents } = this.#options;
    const { eval: spec } = facts.start;
    const copy = openCopy(attempt);
    const sample = rebuildSample(copy, {
      knownIds: facts.knownIds,
      mark: { error: decision.mark },
      sandbox: spec.sandbox,
      config: spec.config as JsonObject,
    });
    const scores = await this.#writer.write(sample, copy);
    this.#written.set(attempt, sample.events.length);
    this.#accounts.rebuilt(planned, attempt, { sample, withEvents });
    return scores;
  }
}
