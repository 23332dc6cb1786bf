import { definedOf, type SampleKey, UsageError } from '../../base/index.ts';
import {
  type AlignedTurn,
  alignTurns,
  epochOutcome,
  firstDivergence,
  placesOf,
  type RunTable,
  toldFigure,
} from '../../compare/index.ts';
import type { AlignedTranscripts, RunItem } from '../api.ts';
import { Breath } from '../breath.ts';
import type { Call } from '../call.ts';
import { tablesOf } from '../run-tables.ts';
import type { Studio } from '../studio.ts';
import { readTurns, type TranscriptTurns } from '../turns/read-turns.ts';
import { inputView, outputText, turnView } from '../turns/turn-view.ts';
import { keysOf } from '../turns/turns.ts';

/** Two transcripts of one sample, aligned by turn. */
export async function transcripts(call: Call<'transcripts'>): Promise<AlignedTranscripts> {
  const { studio, params, query, signal, sameAs } = call;
  const { sample = '' } = params;
  const [first, second, ...more] = query.runs;
  if (first === undefined || second === undefined || more.length > 0) throw notTwo(query.runs.length);
  const asked = { sample, epoch: query.epoch };
  const a = await readSide(studio, { run: first, ...asked }, signal);
  const b = await readSide(studio, { run: second, ...asked }, signal);
  if (!a.key && !b.key) throw noSample(sample);
  sameAs(a.version, b.version);
  const rows = alignTurns(turnKeys(a), turnKeys(b));
  return {
    sample: a.key?.id ?? b.key?.id ?? sample,
    sides: [sideView(a, query.epoch), sideView(b, query.epoch)],
    rows: rows.map((row) => ({ is: row.is, ...turnsOf(row, a, b) })),
    ...definedOf({ firstDivergence: firstDivergence(rows) }),
    isAll: a.transcript.isAll && b.transcript.isAll,
  };
}

interface Side {
  readonly item: RunItem;
  /** Undefined when the run has not got the sample. */
  readonly key: SampleKey | undefined;
  readonly table: RunTable;
  readonly transcript: TranscriptTurns;
  readonly version: string | undefined;
}

interface SideAsked {
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
}

const NOTHING: TranscriptTurns = {
  turns: [],
  isAll: true,
  heads: new Map(),
  tokens: new Map(),
  input: '',
  output: null,
};

/** Where a run has not got that epoch of the sample, its first is taken. */
async function readSide(
  studio: Studio,
  { run, sample, epoch }: SideAsked,
  signal: AbortSignal,
): Promise<Side> {
  const read = await tablesOf(studio).readOne(run);
  if (!read.table) throw read.error;
  const { item, table, version } = read;
  const places = placesOf(table, sample).toSorted((a, b) => (table.epochs[a] ?? 0) - (table.epochs[b] ?? 0));
  const place = places.find((one) => table.epochs[one] === epoch) ?? places[0];
  if (place === undefined) return { item, key: undefined, table, transcript: NOTHING, version };
  const key = { id: table.ids[place] ?? sample, epoch: table.epochs[place] ?? epoch };
  await using open = await studio.open(item.run);
  const transcript = await readTurns(open, key, new Breath(studio.clock, signal));
  return { item, key, table, transcript: transcript ?? NOTHING, version };
}

function turnKeys({ transcript }: Side) {
  return transcript.turns.map((turn) => keysOf(turn, transcript.tokens));
}

function turnsOf(
  { is, a, b }: AlignedTurn,
  one: Side,
  other: Side,
): Pick<AlignedTranscripts['rows'][number], 'a' | 'b'> {
  const shown = { isSame: is === 'same' };
  const viewOf = ({ transcript }: Side, place: number | undefined) => {
    const turn = place === undefined ? undefined : transcript.turns[place];
    return turn && turnView(turn, transcript, shown);
  };
  return definedOf({ a: viewOf(one, a), b: viewOf(other, b) });
}

function sideView(
  { item, key, table, transcript }: Side,
  epoch: number,
): AlignedTranscripts['sides'][number] {
  const places = key ? placesOf(table, String(key.id)) : [];
  const place = places.find((one) => table.epochs[one] === key?.epoch);
  return {
    item,
    epoch: key?.epoch ?? epoch,
    outcome: place === undefined ? 'missing' : epochOutcome(table, toldFigure([table], undefined), place),
    turns: transcript.turns.length,
    output: outputText(transcript),
    input: inputView(transcript.input, transcript),
  };
}

function notTwo(count: number): UsageError {
  return new UsageError({
    code: 'E_COMPARE_COUNT',
    message: `${count === 1 ? 'The transcript of one run' : `Transcripts of ${count} runs`} cannot be laid side by side.`,
    hint: 'Name two runs.',
  });
}

function noSample(sample: string): UsageError {
  return new UsageError({
    code: 'E_SAMPLE_UNKNOWN',
    message: `Neither run has a sample ${sample}.`,
    hint: 'The page of the comparison lists the samples that they have.',
  });
}
