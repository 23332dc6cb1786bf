import { join } from 'node:path';
import { type Json, toJson, UsageError } from '../base/index.ts';
import type { Dataset } from '../datasets/index.ts';
import { definitionDigest } from '../evals/index.ts';
import { type SegmentShipper, segmentPrefix, sweepShells } from '../journal/index.ts';
import { type EvalResults, type EvalSampleSummary, openLog } from '../log/index.ts';
import { releaseJournal, sealRun, sweepReleased } from '../seal/index.ts';
import { createWorkspace, type RunnableTarget } from '../targets/index.ts';
import type { Account, PreviousAttempt, RunState, SampleCounts } from './account.ts';
import { earlierErrors } from './earlier-errors.ts';
import { logStartOf } from './eval-spec.ts';
import { type Executed, executeSamples } from './execute.ts';
import { findReusable, type ReuseFindings, sampleName } from './find-reusable.ts';
import { findFinishedTarget } from './finished-target.ts';
import { answersToReplay, NO_ANSWERS } from './journal-recorder.ts';
import { Ledger } from './ledger.ts';
import { lookBack } from './look-back.ts';
import { resolveStoredLog, storedLogName, workDirOf } from './places.ts';
import { makePlan, type Plan, type PlannedSample } from './plan.ts';
import type { RunEvalOptions, RunOutcome } from './run-eval.ts';
import { runSample, type SampleOutcome, type SampleRunner } from './run-sample.ts';
import { openSession, type Progress, progressOf, recordReuse, type Session } from './session.ts';

const GRACE_MS = 30_000;

/** One run of one eval, from looking back to the account. */
export class EvalRun {
  readonly #options: RunEvalOptions;
  readonly #target: RunnableTarget;
  readonly #dataset: Dataset;
  readonly #plan: Plan;
  readonly #ledger = new Ledger();
  readonly #notes: string[] = [];
  /** How many samples each log lent. */
  readonly #sources = new Map<string, number>();
  #previous: PreviousAttempt | undefined;
  readonly #counts = { kept: 0, reused: 0, replayed: 0, rerun: 0, fresh: 0, errored: 0, completedNow: 0 };

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
  }

  async run(): Promise<RunOutcome> {
    const { disk, places, reuse } = this.#options;
    await disk.makeDir(places.stateDir);
    await sweepReleased(disk, places.stateDir);
    await sweepShells(disk, places.stateDir, this.#options.clock);
    const back = await lookBack(disk, places, this.#plan, reuse);
    for (const note of back.notes) this.#note(note);
    const findings = await findReusable(disk, places.logDir, this.#plan, reuse);
    this.#noteFindings(findings);
    const done = back.adopt ? undefined : await this.#alreadyDone(findings);
    if (done) return done;
    const session = await openSession(
      this.#plan,
      back,
      (runId, created) => this.#logStart(runId, created),
      this.#options,
    );
    try {
      return await this.#runSession(session, findings);
    } catch (error) {
      if (error instanceof UsageError && session.journal.isUnpaid()) await this.#forget(session);
      throw error;
    } finally {
      session.journal.close();
    }
  }

  /** A run that could not begin, because the eval is wrong, leaves nothing behind. */
  async #forget(session: Session): Promise<void> {
    session.journal.close();
    await releaseJournal(this.#options.disk, session.dir);
  }

  #logStart(runId: Parameters<typeof logStartOf>[0]['runId'], created: string) {
    const options = this.#options;
    return logStartOf({
      runId,
      created,
      eval: options.eval,
      target: this.#target,
      plan: this.#plan,
      dataset: this.#dataset,
      concurrency: options.slots.count,
      version: options.version,
      ...(options.file === undefined ? {} : { file: options.file }),
    });
  }

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
      for await (const summary of log.summaries()) this.#countKept(summary);
      this.#counts.reused = total;
      this.#sources.set(storedLogName(this.#options.places, path), total);
      return this.#outcome('done', header.eval.run_id, { log: path, actual: total, results: header.results });
    } finally {
      await log.close();
    }
  }

  async #runSession(session: Session, findings: ReuseFindings): Promise<RunOutcome> {
    this.#previous = session.previous;
    const progress = await this.#takeStock(session, findings);
    this.#options.observer?.onRunStart?.({
      runId: session.run.runId,
      eval: this.#plan.identity.eval,
      target: this.#target.name,
      planned: this.#plan.samples.length,
      kept: this.#counts.kept,
      reused: this.#counts.reused,
      toRun: progress.toRun.length,
      ...(session.previous ? { previous: session.previous } : {}),
    });
    const shipper = this.#startShipper(session);
    try {
      const { stopped } = await this.#execute(session, progress, findings, shipper);
      return stopped
        ? await this.#leaveResumable(session, stopped, shipper)
        : await this.#finish(session, shipper);
    } finally {
      shipper?.stop();
    }
  }

  /** Counts what is there already, writes down what other logs lend, and says what is left to run. */
  async #takeStock(session: Session, findings: ReuseFindings): Promise<Progress> {
    const { journal } = session;
    const before = progressOf(journal, this.#plan);
    this.#counts.kept = before.completed.size;
    for (const attempt of journal.outline()) {
      const summary = attempt.status === 'completed' ? journal.summary(attempt.n) : undefined;
      if (summary) this.#countKept(summary);
    }
    const wanted = new Set(before.toRun.map(sampleName));
    await recordReuse(journal, findings, wanted, this.#options);
    const lent = new Set<string>();
    for (const row of journal.reused()) {
      const name = sampleName(row);
      if (!wanted.has(name) || !findings.reusable.has(name)) continue;
      lent.add(name);
      this.#countSource(row.log);
      this.#countKept(journal.reusedSummary(row.n));
    }
    this.#counts.reused = lent.size;
    this.#noteStartingOver(before);
    const failedElsewhere = [...findings.errored.keys()].map((name) => [name, 'errored'] as const);
    return {
      ...before,
      toRun: before.toRun.filter((sample) => !lent.has(sampleName(sample))),
      tried: new Map([...failedElsewhere, ...before.tried]),
    };
  }

  /** A sample that need not be run: its money is saved, and its score counts from the start. */
  #countKept(summary: EvalSampleSummary): void {
    this.#ledger.reused(summary);
    this.#options.observer?.onSampleKept?.(summary.scores ?? {});
  }

  #noteStartingOver({ tried }: Progress): void {
    if (!this.#target.startsOver) return;
    const count = [...tried.values()].filter((status) => status === 'interrupted').length;
    if (count === 0) return;
    this.#note(
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
        this.#note(`The bucket did not take a segment, and will be asked again: ${String(error)}`),
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
      this.#ledger.attempt(outcome.totals, isWasted);
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
      onEnd: (sample, outcome) => this.#countEnd(sample, outcome, progress),
    });
  }

  #countEnd(sample: PlannedSample, outcome: SampleOutcome, progress: Progress): void {
    const { fields, totals, status } = outcome;
    if (status !== 'interrupted') {
      const before = progress.tried.get(sampleName(sample));
      const wentOn = before === 'interrupted' && (!this.#target.startsOver || outcome.wasFinished === true);
      if (wentOn) this.#counts.replayed++;
      else if (before !== undefined) this.#counts.rerun++;
      else this.#counts.fresh++;
    }
    if (status === 'errored') this.#counts.errored++;
    if (status === 'completed') this.#counts.completedNow++;
    this.#options.observer?.onSampleEnd?.(sample, {
      status,
      scores: fields?.scores ?? {},
      ...(fields?.error ? { error: fields.error.message } : {}),
      ...(fields?.limit ? { limit: fields.limit.type } : {}),
      tokens: totals.tokens - totals.savedTokens,
      usd: totals.spentUsd,
    });
  }

  async #leaveResumable(
    session: Session,
    state: Exclude<RunState, 'done'>,
    shipper: SegmentShipper | undefined,
  ): Promise<RunOutcome> {
    await session.journal.end(state);
    await shipper?.ship();
    const actual = progressOf(session.journal, this.#plan).completed.size + this.#counts.reused;
    return this.#outcome(state, session.run.runId, { actual });
  }

  /**
   * ### Ordering
   * The log is in place and checked before the journal and its segments go; see `sealRun`.
   */
  async #finish(session: Session, shipper: SegmentShipper | undefined): Promise<RunOutcome> {
    const { disk, clock, places, observer, models } = this.#options;
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
    await this.#removeSegments(session);
    session.journal.close();
    await releaseJournal(disk, session.dir);
    const { results } = report.header;
    return this.#outcome('done', session.run.runId, {
      log: report.logPath,
      actual: report.completed + report.reused,
      ...(results ? { results } : {}),
    });
  }

  async #removeSegments(session: Session): Promise<void> {
    const { segments } = this.#options.places;
    if (!segments) return;
    const keys: string[] = [];
    for await (const { key } of segments.bucket.list(segmentPrefix(segments.prefix, session.run.runId)))
      keys.push(key);
    for (const key of keys) await segments.bucket.remove(key);
  }

  #outcome(
    state: RunState,
    runId: string,
    found: { readonly log?: string; readonly actual: number; readonly results?: EvalResults },
  ): RunOutcome {
    const { kept, reused, replayed, rerun, fresh, errored, completedNow } = this.#counts;
    const planned = this.#plan.samples.length;
    const expected = kept + reused + completedNow;
    const samples: SampleCounts = {
      planned,
      kept,
      reused,
      replayed,
      rerun,
      fresh,
      errored,
      remaining: planned - expected - errored,
      lost: Math.max(0, expected - found.actual),
    };
    const account: Account = {
      eval: this.#plan.identity.eval,
      target: this.#target.name,
      runId,
      state,
      ...(found.log === undefined ? {} : { log: found.log }),
      samples,
      reusedFrom: [...this.#sources].map(([log, count]) => ({ log, samples: count })),
      ...(this.#previous ? { previous: this.#previous } : {}),
      answers: this.#ledger.answers,
      usd: this.#ledger.usd,
      tokens: this.#ledger.tokens,
      notes: this.#notes,
    };
    return { account, ...(found.results ? { results: found.results } : {}) };
  }

  #noteFindings(findings: ReuseFindings): void {
    for (const { path, reason } of findings.unreadable) {
      this.#note(`A log could not be read and was left as it is: ${path} (${reason})`);
    }
    if (findings.changed > 0) {
      this.#note(
        `${findings.changed} finished sample(s) were not reused, because the eval's definition or target has changed since. To reuse them all the same: --reuse=any.`,
      );
    }
  }

  #countSource(log: string): void {
    this.#sources.set(log, (this.#sources.get(log) ?? 0) + 1);
  }

  #note(text: string): void {
    if (this.#notes.includes(text)) return;
    this.#notes.push(text);
    this.#options.observer?.onNote?.(text);
  }
}
