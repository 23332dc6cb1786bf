import { type SampleKey, UsageError } from '../base/index.ts';
import type { LogReader } from './log-reader.ts';
import type { Position, Positioned, RunChange, RunReader } from './run-reader.ts';
import type { EvalSampleSummary, LogEvent, LogHeader, SampleFields } from './schema.ts';

/** A run as its log tells it. Closing it closes the log. */
export function readRunFromLog(log: LogReader): RunReader {
  return new LogRunReader(log);
}

/** Positions count from 1: what lies before the first is not a position. */
class LogRunReader implements RunReader {
  readonly place: string;
  readonly #log: LogReader;

  constructor(log: LogReader) {
    this.#log = log;
    this.place = log.path;
  }

  header(): Promise<LogHeader> {
    return this.#log.header();
  }

  summaries(after?: Position): AsyncIterable<Positioned<EvalSampleSummary>> {
    return numbered(this.#log.summaries(), indexOf(after));
  }

  fields({ id, epoch }: SampleKey): Promise<SampleFields | undefined> {
    return this.#log.sampleFields(id, epoch);
  }

  events({ id, epoch }: SampleKey, after?: Position): AsyncIterable<Positioned<LogEvent>> {
    return numbered(this.#log.events(id, epoch), indexOf(after));
  }

  /** A log tells how each sample ended. One that was never finished ends without `finished`: a file that is read does not grow. */
  async *changes(since: Position | undefined, signal: AbortSignal): AsyncGenerator<RunChange> {
    const seen = indexOf(since);
    let count = 0;
    for await (const { position, value } of numbered(this.#log.summaries(), 0)) {
      if (signal.aborted) return;
      count++;
      if (count <= seen) continue;
      const { id, epoch, completed } = value;
      yield { position, kind: completed ? 'ended' : 'begun', sample: { id, epoch } };
    }
    const { status } = await this.#log.header();
    if (!signal.aborted && status !== 'started' && seen <= count)
      yield { position: positionAt(count + 1), kind: 'finished' };
  }

  async latest(): Promise<Position> {
    const [samples, { status }] = await Promise.all([this.#log.samples(), this.#log.header()]);
    return positionAt(Math.max(1, samples.length + (status === 'started' ? 0 : 1)));
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

async function* numbered<T>(items: AsyncIterable<T>, after: number): AsyncGenerator<Positioned<T>> {
  let count = 0;
  for await (const value of items) if (++count > after) yield { position: positionAt(count), value };
}

function positionAt(count: number): Position {
  return String(count) as Position;
}

function indexOf(position: Position | undefined): number {
  if (position === undefined) return 0;
  if (/^[1-9]\d{0,14}$/.test(position)) return Number(position);
  throw new UsageError({
    code: 'E_RUN_POSITION',
    message: `${JSON.stringify(position)} is not a position in a log.`,
    hint: 'Give back a position that a reader of this run gave, or none to begin at its start.',
  });
}
