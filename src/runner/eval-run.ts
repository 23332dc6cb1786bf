import { join } from 'node:path';
import {
  ActionableError,
  DamageError,
  type Json,
  messageOf,
  type RunId,
  toJson,
  UsageError,
} from '../base/index.ts';
import type { Dataset } from '../datasets/index.ts';
import { definitionDigest } from '../evals/index.ts';
import { type SegmentShipper, segmentPrefix, sweepShells } from '../journal/index.ts';
import { type EvalResults, openLog } from '../log/index.ts';
import { releaseJournal, sealRun, sweepReleased } from '../seal/index.ts';
import { createWorkspace, type RunnableTarget } from '../targets/index.ts';
import type { RunState } from './account.ts';
import { bringHome } from './bring-home.ts';
import { checkSpace } from './check-space.ts';
import { earlierErrors } from './earlier-errors.ts';
import { logStartOf } from './eval-spec.ts';
import { type Executed, executeSamples } from './execute.ts';
import { findReusable, type ReuseFindings, sampleName } from './find-reusable.ts';
import { findFinishedTarget } from './finished-target.ts';
import { answersToReplay, NO_ANSWERS } from './journal-recorder.ts';
import { lookBack } from './look-back.ts';
import { resolveStoredLog, storedLogName, workDirOf } from './places.ts';
import { makePlan, type Plan, type PlannedSample } from './plan.ts';
import type { RunEvalOptions, RunOutcome } from './run-eval.ts';
import { runSample, type SampleOutcome, type SampleRunner } from './run-sample.ts';
import { RunTally } from './run-tally.ts';
import { openSession, type Progress, progressOf, recordReuse, type Session } from './session.ts';

const GRACE_MS = 30_000;
/** How often it is tried to open a journal that others want, too. */
const ROUNDS_MAX = 5;

/** One run of one eval, from looking back to the account. */
export class EvalRun {
  readonly #options: RunEvalOptions;
  readonly #target: RunnableTarget;
  readonly #dataset: Dataset;
  #plan: Plan;
  readonly #tally: RunTally;

  constructor(options: RunEvalOptions, target: RunnableTarget, dataset: Dataset) {
    this.#options = options;
    this.#target = target;
    this.#dataset = dataset;
    this.#plan = makePlan({
      eval: options.eval.name,
      version: String(options.eval.version),
      targetName: target.name,
      targetKey: target.key,
      definition: definitionDigest(options.eval),
      epochs: options.eval.epochs.count,
      rows: dataset,
    });
    this.#tally = new RunTally({
      eval: options.eval.name,
      target: target.name,
      planned: this.#plan.samples.length,
      observer: options.observer,
    });
  }

  async run(): Promise<RunOutcome> {
    const { disk, places, reuse } = this.#options;
    await disk.makeDir(places.stateDir);
    await checkSpace(places.stateDir);
    await sweepReleased(disk, places.stateDir);
    await sweepShells(disk, places.stateDir, this.#options.clock);
    for (const note of await bringHome(this.#options, this.#plan)) this.#tally.note(note);
    const findings = await findReusable(disk, places.logDir, this.#plan, reuse);
    this.#noteFindings(findings);
    const session = await this.#openSession(findings);
    if ('account' in session) return session;
    try {
      return await this.#runSession(session, findings);
    } catch (error) {
      if (error instanceof UsageError && session.journal.isUnpaid()) await this.#forget(session);
      throw error;
    } finally {
      session.journal.close();
    }
  }

  /** A journal to write in; or the outcome, when there is nothing to do. */
  async #openSession(findings: ReuseFindings): Promise<Session | RunOutcome> {
    const skip = new Set<string>();
    for (let round = 1; ; round++) {
      const back = await lookBack({ ...this.#options, skip }, this.#plan);
      const done = back.adopt ? undefined : await this.#alreadyDone(findings);
      if (done) return done;
      try {
        const session = await openSession(this.#plan, back, this.#logStart, this.#options);
        for (const note of [...back.notes, ...session.notes]) this.#tally.note(note);
        return session;
      } catch (error) {
        if (!(error instanceof ActionableError) || round === ROUNDS_MAX) throw error;
        if (error instanceof DamageError && back.adopt) {
          skip.add(back.adopt.dir);
          this.#tally.note(
            `A journal could not be read and was left as it is: ${error.message} ${error.hint}`,
          );
        } else if (error.code !== 'E_JOURNAL_BUSY') throw error;
        // Busy: another process was quicker to go on with the journal that was found. It is that one's now.
      }
    }
  }

  /** A run that could not begin, because the eval is wrong, leaves nothing behind. */
  async #forget(session: Session): Promise<void> {
    session.journal.close();
    await releaseJournal(this.#options.disk, session.dir);
  }

  readonly #logStart = (runId: RunId, created: string) => {
    const { eval: planned, slots, version, file } = this.#options;
    return logStartOf({
      runId,
      created,
      eval: planned,
      target: this.#target,
      plan: this.#plan,
      dataset: this.#dataset,
      concurrency: slots.count,
      version,
      ...(file === undefined ? {} : { file }),
    });
  };

  /** The same command run again does nothing when one finished log holds exactly this plan. */
  async #alreadyDone(findings: ReuseFindings): Promise<RunOutcome | undefined> {
    const total = this.#plan.samples.length;
    if (findings.reusable.size !== total) return undefined;
    const paths = new Set([...findings.reusable.values()].map(({ logPath }) => logPath));
    const [path] = paths;
    if (paths.size !== 1 || path === undefined) return undefined;
    const log = await openLog(this.#options.disk, path);
    try {
      const header = await log.header();
      if (header.status !== 'success' || header.results?.total_samples !== total) return undefined;
      const name = storedLogName(this.#options.places, path);
      for await (const summary of log.summaries()) this.#tally.countReused(summary, name);
      return this.#outcome('done', header.eval.run_id, { log: path, actual: total, results: header.results });
    } finally {
      await log.close();
    }
  }

  async #runSession(session: Session, findings: ReuseFindings): Promise<RunOutcome> {
    this.#tally.previous = session.previous;
    this.#options.models.budget.countEarlier(session.journal.spentUsd());
    const shipper = this.#startShipper(session);
    try {
      const { stopped } = await this.#runSamples(session, findings, shipper);
      return stopped
        ? await this.#leaveResumable(session, stopped, shipper)
        : await this.#finish(session, shipper);
    } finally {
      shipper?.stop();
    }
  }

  async #runSamples(
    session: Session,
    findings: ReuseFindings,
    shipper: SegmentShipper | undefined,
  ): Promise<Executed> {
    const progress = await this.#takeStock(session, findings);
    this.#options.observer?.onRunStart?.({
      runId: session.run.runId,
      eval: this.#plan.identity.eval,
      target: this.#target.name,
      planned: this.#plan.samples.length,
      kept: this.#tally.kept,
      reused: this.#tally.reused,
      toRun: progress.toRun.length,
      ...(session.previous ? { previous: session.previous } : {}),
    });
    return this.#execute(session, progress, findings, shipper);
  }

  /** Counts what is there already, writes down what other logs lend, and says what is left to run. */
  async #takeStock(session: Session, findings: ReuseFindings): Promise<Progress> {
    const { journal } = session;
    const before = progressOf(journal, this.#plan);
    for (const attempt of journal.outline()) {
      const summary = attempt.status === 'completed' ? journal.summary(attempt.n) : undefined;
      if (summary) this.#tally.countKept(summary);
    }
    const wanted = new Set(findings.reusable.size === 0 ? [] : before.toRun.map(sampleName));
    const { lent, damaged } = await recordReuse(journal, findings, wanted, this.#options);
    for (const what of damaged)
      this.#tally.note(`${what} is damaged: it was left as it is, and the sample is run again.`);
    for (const row of journal.reused()) {
      if (!lent.has(sampleName(row))) continue;
      this.#tally.countReused(journal.reusedSummary(row.n), row.log);
    }
    this.#noteStartingOver(before);
    const failedElsewhere = [...findings.errored.keys()].map((name) => [name, 'errored'] as const);
    return {
      ...before,
      toRun: before.toRun.filter((sample) => !lent.has(sampleName(sample))),
      tried: new Map([...failedElsewhere, ...before.tried]),
    };
  }

  #noteStartingOver({ tried }: Progress): void {
    if (!this.#target.startsOver) return;
    const count = [...tried.values()].filter((status) => status === 'interrupted').length;
    if (count === 0) return;
    this.#tally.note(
      `${count} interrupted sample(s) start over, unless only their scoring was left: what happens inside a command cannot be replayed.`,
    );
  }

  #startShipper(session: Session): SegmentShipper | undefined {
    const { places, segmentIntervalMs } = this.#options;
    if (!places.segments) return undefined;
    const shipper = session.journal.shipTo({
      ...places.segments,
      run: session.run.runId,
      writer: session.run.writer,
      ...(segmentIntervalMs === undefined ? {} : { intervalMs: segmentIntervalMs }),
      onProblem: (error) =>
        this.#tally.note(`The bucket did not take a segment, and will be asked again: ${String(error)}`),
    });
    shipper.start();
    return shipper;
  }

  #execute(
    session: Session,
    progress: Progress,
    findings: ReuseFindings,
    shipper: SegmentShipper | undefined,
  ): Promise<Executed> {
    const options = this.#options;
    const runner: SampleRunner = {
      target: this.#target,
      scorers: options.eval.scorers,
      limits: options.eval.limits,
      models: options.models,
      clock: options.clock,
      disk: options.disk,
      openWorkspace: ({ id, epoch }, existing) =>
        createWorkspace({
          ...(existing === undefined ? {} : { existing }),
          disk: options.disk,
          workDir: workDirOf(options.places, session.run.runId),
          sampleId: id,
          epoch,
        }),
    };
    const runOne = async (planned: PlannedSample, signal: AbortSignal): Promise<SampleOutcome> => {
      const wasTried = progress.tried.has(sampleName(planned));
      const finished =
        wasTried && this.#target.startsOver
          ? await findFinishedTarget(options.disk, session.journal, planned)
          : undefined;
      const outcome = await runSample(runner, {
        planned,
        ...(finished ? { finished } : {}),
        row: await this.#dataset.row(planned.index),
        journal: session.journal,
        answers: progress.tried.has(sampleName(planned))
          ? answersToReplay(session.journal, planned)
          : NO_ANSWERS,
        earlier: await earlierErrors(options.disk, { journal: session.journal, planned, findings }),
        signal,
      });
      const isWasted =
        outcome.status === 'errored' || (outcome.status === 'interrupted' && this.#target.startsOver);
      this.#tally.ledger.attempt(outcome.totals, isWasted);
      // With a bucket, a sample counts as completed only after the bucket was offered its result.
      if (outcome.status !== 'interrupted') await shipper?.ship();
      return outcome;
    };
    return executeSamples({
      samples: progress.toRun,
      slots: options.slots,
      clock: options.clock,
      signals: options.signals,
      graceMs: options.graceMs ?? GRACE_MS,
      retries: options.eval.retries,
      failOnError: options.eval.failOnError,
      planned: this.#plan.samples.length,
      isBudgetSpent: () => options.models.budget.isExhausted(),
      runOne,
      onStart: (sample) => options.observer?.onSampleStart?.(sample),
      onEnd: (sample, outcome) =>
        this.#tally.countEnd(sample, outcome, {
          before: progress.tried.get(sampleName(sample)),
          canReplay: !this.#target.startsOver,
        }),
    });
  }

  async #leaveResumable(
    session: Session,
    state: Exclude<RunState, 'done'>,
    shipper: SegmentShipper | undefined,
  ): Promise<RunOutcome> {
    await session.journal.end(state);
    await shipper?.ship();
    const actual = progressOf(session.journal, this.#plan).completed.size + this.#tally.reused;
    return this.#outcome(state, session.run.runId, { actual });
  }

  /**
   * ### Ordering
   * The log is in place and checked before the journal and its segments go; see `sealRun`.
   */
  async #finish(session: Session, shipper: SegmentShipper | undefined): Promise<RunOutcome> {
    const { disk, clock, places, observer, models } = this.#options;
    await this.#checkLenders(session);
    await this.#letPlanGo();
    const report = await sealRun({
      disk,
      clock,
      sources: [session.journal],
      logPath: join(places.logDir, session.run.logName),
      resolveLog: (log) => resolveStoredLog(places, log),
      outcome: { status: 'success' },
      connectionLimits: models.gates.flatMap((gate) => toJson(gate.history) as readonly Json[]),
      onProgress: (done, total) => observer?.onSealProgress?.(done, total),
    });
    await session.journal.end('finished');
    shipper?.stop();
    session.journal.close();
    await releaseJournal(disk, session.dir);
    await this.#tryRemoveSegments(session);
    const { results } = report.header;
    return this.#outcome('done', session.run.runId, {
      log: report.logPath,
      actual: report.completed + report.reused,
      ...(results ? { results } : {}),
    });
  }

  /** Every sample is in the journal now. A large plan and its rows weigh as much as sealing does, so they go first. */
  async #letPlanGo(): Promise<void> {
    this.#plan = { ...this.#plan, samples: [] };
    await this.#dataset.close();
  }

  /** A log that lends samples and is deleted while the run goes on would leave a hole: better to stop, resumable. */
  async #checkLenders({ journal }: Session): Promise<void> {
    const { disk, places } = this.#options;
    for (const log of this.#tally.lenders) {
      if (await disk.stat(resolveStoredLog(places, log))) continue;
      await journal.end('failed');
      throw new ActionableError({
        code: 'E_REUSED_GONE',
        message: `${log}, from which samples were to be taken over, was removed while the run went on.`,
        hint: 'Everything else is safe. Run the same command again: those samples are then run anew.',
      });
    }
  }

  /** Best effort: segments that stay only cost space, and the log says that they are no longer needed. */
  async #tryRemoveSegments(session: Session): Promise<void> {
    const { segments } = this.#options.places;
    if (!segments) return;
    try {
      const keys: string[] = [];
      const prefix = segmentPrefix(segments.prefix, session.run.runId);
      for await (const { key } of segments.bucket.list(prefix)) keys.push(key);
      for (const key of keys) await segments.bucket.remove(key);
    } catch (error) {
      this.#tally.note(`The segments of this run could not be removed from the bucket: ${messageOf(error)}`);
    }
  }

  #outcome(
    state: RunState,
    runId: string,
    found: { readonly log?: string; readonly actual: number; readonly results?: EvalResults },
  ): RunOutcome {
    return {
      account: this.#tally.account(state, runId, found),
      ...(found.results ? { results: found.results } : {}),
    };
  }

  #noteFindings(findings: ReuseFindings): void {
    for (const { path, reason } of findings.unreadable) {
      this.#tally.note(`A log could not be read and was left as it is: ${path} (${reason})`);
    }
    if (findings.changed > 0) {
      this.#tally.note(
        `${findings.changed} finished sample(s) were not reused, because the eval's definition or target has changed since. To reuse them all the same: --reuse=any.`,
      );
    }
  }
}
