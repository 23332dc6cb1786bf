import { ActionableError, definedOf, isoSeconds, newRunId, type RunId, shortId } from '../base/index.ts';
import {
  createWriter,
  type FoundRun,
  type JournalWriter,
  journalBusy,
  lockRun,
  openRunJournals,
  type RunJournals,
  type RunLock,
  type RunRecord,
  type WriterRecord,
} from '../journal/index.ts';
import { type LogStart, logFileName } from '../log/index.ts';
import type { PreviousAttempt } from './account.ts';
import { fenceFound } from './fence-found.ts';
import { type OpenJournals, openJournals } from './open-journals.ts';
import type { Plan } from './plan.ts';
import { previousAttempt } from './previous-attempt.ts';
import type { RunSettings } from './settings.ts';

/** A run that this process works on: it holds its lock, reads what all writers left, and writes a journal of its own. */
export interface OpenRun {
  readonly run: RunRecord;
  readonly lock: RunLock;
  /** All journals of the run, this process's own included. */
  readonly journals: RunJournals;
  readonly writer: JournalWriter;
  readonly previous: PreviousAttempt | undefined;
  /** What those before had lost by the time this process came: its own journal remembers only what is left. */
  readonly damage: RunJournals['damage'];
  /** What was done about that. */
  readonly notes: readonly string[];
  close(): void;
  /** Removes what was made to read the journals; after closing. */
  clear(): Promise<void>;
}

export interface OpenRunOptions {
  readonly settings: RunSettings;
  readonly plan: Plan;
  readonly startOf: (runId: RunId, created: string) => LogStart;
  /** What was paid for artifacts of the run, by all attempts at it. */
  readonly builds?: WriterRecord['builds'];
}

/**
 * Goes on with a dead run as a writer of its own: nothing of those before is written again. Fails with E_JOURNAL_BUSY
 * when another process was quicker.
 *
 * ### Ordering
 * The run is locked before its writers are looked at. Those that somebody vouched for are fenced before their journals are
 * read, so what they might still write is never counted on.
 */
export async function goOnWith(found: FoundRun, { settings, builds }: OpenRunOptions): Promise<OpenRun> {
  const { disk, reuse } = settings;
  const lock = lockRun(found.dir);
  let opening: OpenJournals | undefined;
  try {
    if (!(await fenceFound(found, settings))) throw journalBusy(found.dir);
    opening = await openJournals({ dir: found.dir, runId: found.run.runId }, settings);
    const { journals: earlier, notes, clear } = opening;
    const previous = await previousAttempt(disk, earlier);
    const { damage } = earlier;
    const run = earlier.run();
    const writer = await createWriter({
      runDir: found.dir,
      run,
      writer: {
        writer: shortId(settings.random),
        generation: earlier.nextGeneration,
        after: [...new Set(earlier.writers().map((record) => record.writer))],
        held: earlier.held(),
        ...definedOf({ builds }),
        reuse,
      },
      ports: settings,
    });
    const journals = earlier.with(writer.reader);
    return opened({ run, lock, journals, writer, previous, damage, notes, clear });
  } catch (error) {
    opening?.journals.close();
    await opening?.clear();
    lock.release();
    throw error;
  }
}

/** Begins a run of its own. */
export async function beginRun({ settings, plan, startOf, builds }: OpenRunOptions): Promise<OpenRun> {
  const { clock, disk, places, random, reuse } = settings;
  const nowMs = clock.nowMs();
  const runId = newRunId(nowMs, random);
  const created = isoSeconds(nowMs);
  const start = startOf(runId, created);
  const run: RunRecord = {
    runId,
    created,
    start,
    identity: { ...plan.identity, plan: plan.digest },
    planned: plan.size,
    logName: logFileName({ created, task: start.eval.task, taskId: start.eval.task_id }),
  };
  const runDir = places.state.runDir(runId);
  await disk.makeDir(runDir);
  const lock = lockRun(runDir);
  try {
    const writer = await createWriter({
      runDir,
      run,
      writer: { writer: shortId(random), generation: 1, after: [], ...definedOf({ builds }), reuse },
      ports: settings,
    });
    const journals = (await openRunJournals({ disk, runDir, except: [writer.record.writer] })).with(
      writer.reader,
    );
    const { damage } = journals;
    const nothing = { previous: undefined, notes: [], clear: async () => undefined };
    return opened({ run, lock, journals, writer, damage, ...nothing });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function opened(parts: Omit<OpenRun, 'close'>): OpenRun {
  return {
    ...parts,
    close() {
      parts.journals.close();
      parts.writer.close();
      parts.lock.release();
    },
  };
}

/** True for what means that another process has the run now. */
export function isBusy(error: unknown): boolean {
  return error instanceof ActionableError && error.code === 'E_JOURNAL_BUSY';
}
