import { type Clock, type SampleKey, sampleKeyText } from '../base/index.ts';
import { type Disk, identityOfFile } from '../disk/index.ts';
import {
  type EvalSampleSummary,
  type LogEvent,
  type LogHeader,
  type Position,
  type Positioned,
  type RunChange,
  type RunReader,
  type SampleFields,
  summarize,
} from '../log/index.ts';
import { damagedJournal } from './database.ts';
import type { JournalReader } from './journal-reader.ts';
import { readWriters, type UnreadableJournal } from './read-writers.ts';
import { type AttemptRow, startFields } from './records.ts';
import { changesIn, FINISHED, progressOf } from './run-changes.ts';
import { type From, RunJournals } from './run-journals.ts';
import { lentPosition, type OpenLender, RunLenders } from './run-lenders.ts';
import { fromPosition, type Progress, toPosition } from './run-positions.ts';
import { wholeFields } from './whole-fields.ts';
import { writersIn } from './writers-in.ts';

export interface ReadRunOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly runDir: string;
  /** Reads a log that lends samples to this run; without it those have summaries only. */
  readonly openLender?: OpenLender;
}

const POLL_MS = 250;

/** A run as its journals tell it, while it is under way and after a crash. It may be watched by any number of readers. */
export function readRunFromJournals(options: ReadRunOptions): RunReader {
  return new JournalRunReader(options);
}

class JournalRunReader implements RunReader {
  readonly place: string;
  readonly #options: ReadRunOptions;
  /** By path. A journal is opened once; what a living one adds is seen through the same connection. */
  readonly #readers = new Map<string, JournalReader>();
  readonly #lenders: RunLenders;

  constructor(options: ReadRunOptions) {
    this.#options = options;
    this.place = options.runDir;
    this.#lenders = new RunLenders(options.openLender);
  }

  async header(): Promise<LogHeader> {
    const journals = await this.#journals();
    const { start, created } = journals.run();
    return {
      ...start,
      status: isFinished(journals) ? 'success' : 'started',
      stats: {
        started_at: created,
        completed_at: '',
        model_usage: {},
        role_usage: {},
        connection_limit_history: [],
      },
      invalidated: false,
      tags: [],
      metadata: {},
    };
  }

  /** In the order in which samples were first begun; after these come those that other logs lend. */
  async *summaries(after?: Position): AsyncGenerator<Positioned<EvalSampleSummary>> {
    let reached = fromPosition(after);
    const journals = await this.#journals();
    const seen = new Set<string>();
    for (const { table, source, n, id, epoch } of listSamples(journals)) {
      const name = sampleKeyText(id, epoch);
      if (seen.has(name)) continue;
      seen.add(name);
      const cursor = `${table} ${source.writer().writer}`;
      if (n <= (reached[cursor] ?? 0)) continue;
      reached = { ...reached, [cursor]: n };
      const value = table === 'reused' ? source.reusedSummary(n) : summaryOf(journals, { id, epoch });
      yield { position: toPosition(reached), value };
    }
  }

  async fields(sample: SampleKey): Promise<SampleFields | undefined> {
    const journals = await this.#journals();
    const attempt = currentAttempt(journals, sample);
    if (!attempt) return this.#lenders.fields(journals, sample);
    refuseDamaged(attempt);
    return attempt.source.result(attempt.n)?.fields ?? unfinishedFields(attempt);
  }

  async *events(sample: SampleKey, after?: Position): AsyncGenerator<Positioned<LogEvent>> {
    const lent = lentPosition(after);
    const progress = lent ? {} : fromPosition(after);
    const journals = await this.#journals();
    const attempt = attemptOf(journals, sample, progress) ?? currentAttempt(journals, sample);
    if (!attempt || lent) return yield* this.#lenders.events(journals, sample, lent);
    refuseDamaged(attempt);
    const { source, n, origin } = attempt;
    let index = progress[origin] ?? 0;
    for (const json of source.events(n, index)) {
      index++;
      yield { position: toPosition({ [origin]: index }), value: source.expandEvent(n, json) };
    }
  }

  async *changes(since: Position | undefined, signal: AbortSignal): AsyncGenerator<RunChange> {
    let progress = fromPosition(since);
    while (!signal.aborted && progress[FINISHED] === undefined) {
      // Whether anybody still writes is asked first: what they wrote until then is told below.
      const journals = await this.#journals();
      const isOver = isFinished(journals);
      const isDead = journals.liveness() === 'dead';
      for (const source of journals.readers) {
        for (const { progress: reached, ...change } of changesIn(source, progress)) {
          progress = reached;
          yield change;
          if (signal.aborted) return;
        }
      }
      if (isOver) {
        progress = { ...progress, [FINISHED]: 1 };
        yield { position: toPosition(progress), kind: 'finished' };
      }
      if (isOver || isDead || identityOfFile(this.place) === undefined) return;
      await this.#wait(signal);
    }
  }

  async latest(): Promise<Position> {
    const journals = await this.#journals();
    const reached: Progress = Object.assign({}, ...journals.readers.map(progressOf));
    return toPosition(isFinished(journals) ? { ...reached, [FINISHED]: 1 } : reached);
  }

  async close(): Promise<void> {
    for (const reader of this.#readers.values()) reader.close();
    this.#readers.clear();
    await this.#lenders.close();
  }

  async #wait(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.clock.sleep(POLL_MS, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Writers come and go while a run is watched. */
  async #journals(): Promise<RunJournals> {
    const unreadable = await this.#readNew();
    return new RunJournals([...this.#readers.values()], { runDir: this.place, unreadable });
  }

  async #readNew(): Promise<readonly UnreadableJournal[]> {
    try {
      return readWriters(await writersIn(this.#options.disk, this.place), this.#readers);
    } catch (error) {
      if (identityOfFile(this.place) !== undefined) throw error;
      // The run was let go just now: what was opened before is still read.
      return [];
    }
  }
}

function* listSamples(
  journals: RunJournals,
): Iterable<
  SampleKey & { readonly table: 'attempts' | 'reused'; readonly source: JournalReader; readonly n: number }
> {
  for (const { source, n, id, epoch } of journals.outline())
    yield { table: 'attempts', source, n, id, epoch };
  for (const { source, n, id, epoch } of journals.reused()) yield { table: 'reused', source, n, id, epoch };
}

/** A run is finished when a writer that nobody came after said so. */
function isFinished(journals: RunJournals): boolean {
  const before = new Set(journals.writers().flatMap(({ after }) => after));
  return journals.readers.some(
    (reader) => !before.has(reader.writer().writer) && reader.ending()?.reason === 'finished',
  );
}

/** The attempt that a sample is shown by: the first that is completed, else the last. */
function currentAttempt(journals: RunJournals, { id, epoch }: SampleKey): From<AttemptRow> | undefined {
  const attempts = journals.attemptsAt(id, epoch);
  return attempts.find(({ status }) => status === 'completed') ?? attempts.at(-1);
}

/** The attempt that a position lies in: it is read to its end, also when another was begun since. */
function attemptOf(
  journals: RunJournals,
  { id, epoch }: SampleKey,
  progress: Progress,
): From<AttemptRow> | undefined {
  return journals.attemptsAt(id, epoch).find(({ origin }) => progress[origin] !== undefined);
}

function summaryOf(journals: RunJournals, sample: SampleKey): EvalSampleSummary {
  const attempt = currentAttempt(journals, sample);
  const summary = attempt?.source.summary(attempt.n);
  if (summary) return summary;
  const fields = attempt ? unfinishedFields(attempt) : wholeFields(sample);
  return { ...summarize(fields), completed: false };
}

function unfinishedFields(attempt: AttemptRow): SampleFields {
  return wholeFields(startFields(attempt));
}

/** [RUN-6]: what is damaged is told for that sample, and all others are read. */
function refuseDamaged({ source, n, isDamaged }: From<AttemptRow>): void {
  if (!isDamaged) return;
  throw damagedJournal(source.place, source.damage().attempts.get(n) ?? `attempt ${n} lacks something`);
}
