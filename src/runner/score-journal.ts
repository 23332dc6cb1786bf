import {
  type Clock,
  type Digest,
  isoTime,
  newRunId,
  type Random,
  type SampleKey,
  shortId,
} from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  createWriter,
  findRuns,
  type JournalWriter,
  lockRun,
  openRunJournals,
  type RunJournals,
  type RunLock,
  type RunRecord,
  type StateDir,
} from '../journal/index.ts';
import { type LogEvent, type LogStart, type SampleAnswer, unionOfAnswers } from '../log/index.ts';
import { releaseRun } from '../seal/index.ts';
import type { Budget } from '../targets/index.ts';
import type { BoughtAnswer } from './earlier-runs.ts';
import type { AttemptSink } from './sample-journal.ts';
import { tryLockRun } from './try-lock.ts';

export interface ScoreJournalOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly state: StateDir;
  /** What is scored by whom: a journal of the same is gone on with. */
  readonly identity: Digest;
  readonly start: LogStart;
  readonly samples: number;
  readonly logName: string;
}

interface OwnJournal {
  readonly lock: RunLock;
  readonly writer: JournalWriter;
}

/**
 * Keeps what graders answer while a log is scored again: whoever is stopped and begins anew does not buy it twice. There is no
 * journal before the first answer.
 */
export class ScoreJournal {
  readonly #options: ScoreJournalOptions;
  readonly #earlier: readonly { readonly lock: RunLock; readonly journals: RunJournals }[];
  #own: OwnJournal | undefined;
  #opening: Promise<OwnJournal> | undefined;

  private constructor(
    options: ScoreJournalOptions,
    earlier: readonly { readonly lock: RunLock; readonly journals: RunJournals }[],
  ) {
    this.#options = options;
    this.#earlier = earlier;
  }

  static async open(options: ScoreJournalOptions): Promise<ScoreJournal> {
    const { disk, state, identity } = options;
    const earlier: { lock: RunLock; journals: RunJournals }[] = [];
    for (const { dir, run, liveness } of (await findRuns(disk, state.path)).found) {
      if (run.identity.plan !== identity || liveness !== 'dead') continue;
      const lock = tryLockRun(dir);
      if (lock) earlier.push({ lock, journals: await openRunJournals({ disk, runDir: dir }) });
    }
    return new ScoreJournal(options, earlier);
  }

  /** What those spent who were stopped: a budget holds over all attempts [BUD-4]. */
  countSpent(budget: Pick<Budget, 'countEarlier'>): void {
    for (const { journals } of this.#earlier) budget.countEarlier(journals.run().runId, journals.spentUsd());
  }

  /** What was bought for a sample by those who were stopped. */
  answersAt({ id, epoch }: SampleKey): readonly BoughtAnswer[] {
    const lists = this.#earlier.map(({ journals }) => {
      const { runId } = journals.run();
      return journals.answersAt(id, epoch).map((answer) => ({ from: runId, ...answer }));
    });
    return unionOfAnswers(lists);
  }

  /** Events go to `events`, answers are durable before anybody sees them. `heard` gets every answer, bought or given again. */
  attemptAt(
    sample: SampleKey,
    into: { readonly events: LogEvent[]; readonly heard: SampleAnswer[] },
  ): AttemptSink {
    let attempt: AttemptSink | undefined;
    return {
      n: 1,
      event: (event) => void into.events.push(event),
      replayed: (answer) => void into.heard.push(answer),
      answer: async (answer, events) => {
        attempt ??= (await this.#writer()).startAttempt(this.#startOf(sample));
        await attempt.answer(answer, []);
        into.heard.push(answer);
        into.events.push(...events);
      },
      output: async () => undefined,
      finish: async () => undefined,
    };
  }

  /** Everything is in the log now. */
  async release(): Promise<void> {
    const { disk, state } = this.#options;
    const ids = this.#earlier.map(({ journals }) => journals.run().runId);
    if (this.#own) {
      await this.#own.writer.end('finished');
      ids.push(this.#own.writer.run.runId);
    }
    for (const { journals } of this.#earlier) journals.close();
    this.#own?.writer.close();
    for (const id of ids) await releaseRun(disk, state, id);
  }

  close(): void {
    for (const { journals, lock } of this.#earlier) {
      journals.close();
      lock.release();
    }
    this.#own?.writer.close();
    this.#own?.lock.release();
  }

  /** Several samples may hear their first answer at the same time. */
  async #writer(): Promise<JournalWriter> {
    this.#opening ??= this.#openOwn();
    this.#own = await this.#opening;
    return this.#own.writer;
  }

  async #openOwn(): Promise<OwnJournal> {
    const { disk, clock, random, state } = this.#options;
    const run = this.#record();
    const runDir = state.runDir(run.runId);
    await disk.makeDir(runDir);
    const lock = lockRun(runDir);
    const writer = await createWriter({
      runDir,
      run,
      writer: { writer: shortId(random), generation: 1, after: [], reuse: 'same' },
      ports: { disk, clock },
    });
    return { lock, writer };
  }

  #record(): RunRecord {
    const { clock, random, identity, start, samples, logName } = this.#options;
    return {
      runId: newRunId(clock.nowMs(), random),
      created: start.eval.created,
      start,
      identity: {
        // No run of the eval goes on with it.
        eval: `score ${start.eval.task}`,
        version: '',
        targetName: start.eval.model,
        target: identity,
        definition: identity,
        plan: identity,
      },
      planned: samples,
      logName,
    };
  }

  #startOf({ id, epoch }: SampleKey): Parameters<JournalWriter['startAttempt']>[0] {
    const { clock, random, identity } = this.#options;
    return {
      id,
      epoch,
      key: identity,
      uuid: shortId(random),
      startedAt: isoTime(clock.nowMs()),
      sample: { input: '', target: '', metadata: {} },
    };
  }
}
