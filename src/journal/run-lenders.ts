import { type SampleKey, sampleKeyText } from '../base/index.ts';
import type { LogEvent, Position, Positioned, RunReader, SampleFields } from '../log/index.ts';
import type { ReusedOutline } from './records.ts';
import type { RunJournals } from './run-journals.ts';
import { notAPosition } from './run-positions.ts';
import { tryParse } from './stored-documents.ts';

export type OpenLender = (log: string) => Promise<RunReader | undefined>;

/** Where a reader has got to in a sample that another log lends. */
export interface LentPosition {
  readonly log: string;
  /** The lender's own. */
  readonly position: Position;
}

/** The logs that lend samples to a run. Each is opened when it is first needed, and closed with all the others. */
export class RunLenders {
  readonly #open: OpenLender;
  readonly #opened = new Map<string, Promise<RunReader | undefined>>();

  constructor(open: OpenLender = async () => undefined) {
    this.#open = open;
  }

  async fields(journals: RunJournals, sample: SampleKey): Promise<SampleFields | undefined> {
    const [log] = lendersOf(sample, journals.reused());
    return log === undefined ? undefined : (await this.#lender(log))?.fields(sample);
  }

  /** A lender that a position names is gone on with, although another may lend the sample by now. */
  async *events(
    journals: RunJournals,
    sample: SampleKey,
    after: LentPosition | undefined,
  ): AsyncGenerator<Positioned<LogEvent>> {
    const log = after ? knownLog(journals, sample, after) : lendersOf(sample, journals.reused())[0];
    if (log === undefined) return;
    const lender = await this.#lender(log);
    for await (const { position, value } of lender?.events(sample, after?.position) ?? [])
      yield { position: toLentPosition({ log, position }), value };
  }

  async close(): Promise<void> {
    const opened = [...this.#opened.values()];
    this.#opened.clear();
    for (const lender of opened) await (await lender)?.close();
  }

  async #lender(log: string): Promise<RunReader | undefined> {
    const opening = this.#opened.get(log) ?? this.#open(log);
    this.#opened.set(log, opening);
    let lender: RunReader | undefined;
    try {
      lender = await opening;
    } finally {
      // One that is not there, or cannot be read, is asked for again: it may come back.
      if (!lender) this.#opened.delete(log);
    }
    return lender;
  }
}

/** The log of a position, when any writer ever took the sample from there: a position alone opens nothing. */
function knownLog(journals: RunJournals, sample: SampleKey, after: LentPosition): string {
  const isKnown = journals.readers.some((reader) => lendersOf(sample, reader.reused()).includes(after.log));
  if (!isKnown) throw notAPosition(toLentPosition(after));
  return after.log;
}

function lendersOf({ id, epoch }: SampleKey, rows: Iterable<ReusedOutline>): string[] {
  const name = sampleKeyText(id, epoch);
  return [...rows].filter((row) => sampleKeyText(row.id, row.epoch) === name).map(({ log }) => log);
}

function toLentPosition({ log, position }: LentPosition): Position {
  return JSON.stringify({ log, position }) as Position;
}

/** Undefined for a position in the journals themselves, and for none. */
export function lentPosition(position: Position | undefined): LentPosition | undefined {
  const value = position === undefined ? undefined : tryParse(position);
  return isLentPosition(value) ? value : undefined;
}

function isLentPosition(value: unknown): value is LentPosition {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'log' in value &&
    typeof value.log === 'string' &&
    'position' in value &&
    typeof value.position === 'string'
  );
}
