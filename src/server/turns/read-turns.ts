import { digestOf, escapeLoneSurrogates, isJsonObject, type Json, type SampleKey } from '../../base/index.ts';
import {
  attachmentHash,
  isStoredLog,
  type RunReader,
  referredHash,
  type SampleDocument,
  type SamplePart,
  type SamplePiece,
} from '../../log/index.ts';
import type { Breath } from '../breath.ts';
import type { OpenRun } from '../studio.ts';
import { HEAD_UNITS, type RawTurn, TurnBuilder } from './turns.ts';

/** A transcript as it is aligned with another. */
export interface TranscriptTurns {
  readonly turns: readonly RawTurn[];
  /** False when there are more than were read. */
  readonly isAll: boolean;
  /** By reference: the beginnings of texts, and what tells them from others. */
  readonly heads: ReadonlyMap<string, string>;
  readonly tokens: ReadonlyMap<string, string>;
  readonly input: Json;
  readonly output: Json;
}

/** Further turns are not read. */
const TURNS_MAX = 3_000;

/** The turns of a sample; undefined when the run has not got it. Of a transcript however long, only the beginnings of turns are kept. */
export async function readTurns(
  { reader, log }: OpenRun,
  key: SampleKey,
  breath: Breath,
): Promise<TranscriptTurns | undefined> {
  const context = log && isStoredLog(log) ? await log.context(key.id, key.epoch) : undefined;
  if (context) return await turnsIn(context.document, breath);
  return await turnsOfReader(reader, key, breath);
}

const FIRST: ReadonlySet<SamplePart> = new Set(['fields', 'events']);
const SECOND: ReadonlySet<SamplePart> = new Set(['attachments']);

/** Events as they are stored, with references for what is long: to compare two texts, their hashes are enough. */
async function turnsIn(document: SampleDocument, breath: Breath): Promise<TranscriptTurns> {
  const builder = new TurnBuilder();
  const fields = new Map<string, Json>();
  let events = 0;
  const long = new LongPieces();
  for await (const pieces of document.scanTogether(FIRST, SLICES)) {
    await breath.take();
    for (const piece of pieces) {
      const { part, key, bytes } = piece;
      const slices = long.add(piece);
      if (part === 'fields') {
        if (!slices && SHOWN_FIELDS.has(key)) fields.set(key, document.parse(bytes));
      } else if (builder.turns.length <= TURNS_MAX && slices !== 'more') {
        const event = slices ? longEvent(slices) : document.parse(bytes);
        if (isJsonObject(event)) builder.add(event, events++);
      }
      await breath.take();
    }
  }
  const isAll = builder.turns.length <= TURNS_MAX;
  const turns = builder.turns.slice(0, TURNS_MAX);
  const found = await readHeads(document, wantedOf(turns, [...fields.values()]), breath);
  return { turns, isAll, ...found, input: fields.get('input') ?? '', output: fields.get('output') ?? null };
}

/** Nobody reads a longer value here; it is known by what its bytes come to. */
const SLICES = { sliceBytes: 4 * 2 ** 20 };

interface LongPiece {
  readonly head: string;
  digest: string;
}

/** Values that come in slices: of each its beginning is kept, and a digest of the rest. */
class LongPieces {
  #open: LongPiece | undefined;

  /** Undefined: no slice. `more`: the value goes on. Else the value, now that its end is there. */
  add({ bytes, isMore }: SamplePiece): LongPiece | 'more' | undefined {
    if (!this.#open && !isMore) return undefined;
    const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const open = this.#open ?? { head: latin1.slice(0, 64 * 1024), digest: '' };
    open.digest = digestOf(open.digest + latin1);
    this.#open = isMore ? open : undefined;
    return isMore ? 'more' : open;
  }
}

/** An event that is too long to be parsed, as far as it can be told from its beginning. */
function longEvent({ head, digest }: LongPiece): Json {
  const [, kind = ''] = /"event"\s*:\s*"(\w{1,40})"/.exec(head) ?? [];
  const said = `(too long to be shown) ${digest}`;
  if (kind !== 'model') return { event: kind, result: said, message: said };
  return { event: kind, output: { choices: [{ message: { role: 'assistant', content: said } }] } };
}

const SHOWN_FIELDS: ReadonlySet<string> = new Set(['input', 'output']);

/** By reference: how much of the text is wanted. What is referred to by a number tells nothing by itself. */
function wantedOf(turns: readonly RawTurn[], fields: readonly Json[]): ReadonlyMap<string, number> {
  const wanted = new Map<string, number>();
  for (const { deeds } of turns)
    for (const { said, token } of deeds) {
      if ('ref' in said) wanted.set(said.ref, HEAD_UNITS);
      for (const [, ref] of token.matchAll(/attachment:\/\/(\d{1,9})(?!\w)/g))
        if (ref) wanted.set(ref, HEAD_UNITS);
    }
  // Answers are compared to their ends.
  for (const [, ref] of JSON.stringify(fields).matchAll(/(?:attachment|tc):\/\/(\w+)/g))
    if (ref) wanted.set(ref, Number.POSITIVE_INFINITY);
  return wanted;
}

async function readHeads(
  document: SampleDocument,
  wanted: ReadonlyMap<string, number>,
  breath: Breath,
): Promise<Pick<TranscriptTurns, 'heads' | 'tokens'>> {
  const heads = new Map<string, string>();
  const tokens = new Map<string, string>();
  if (wanted.size === 0) return { heads, tokens };
  const long = new LongPieces();
  for await (const pieces of document.scanTogether(SECOND, SLICES)) {
    await breath.take();
    for (const piece of pieces) {
      const { key, bytes } = piece;
      const slices = long.add(piece);
      const unitsMax = wanted.get(key);
      if (slices === 'more' || unitsMax === undefined) continue;
      // Chunked samples number their attachments.
      const isNumbered = /^\d{1,9}$/.test(key);
      if (slices) {
        heads.set(key, `(too long to be shown) ${slices.digest}`);
        if (isNumbered) tokens.set(key, slices.digest);
        continue;
      }
      const text = document.parse(bytes);
      if (typeof text !== 'string') continue;
      heads.set(key, Buffer.from(text.slice(0, unitsMax), 'utf8').toString('utf8'));
      if (isNumbered) tokens.set(key, `attachment://${attachmentHash(escapeLoneSurrogates(text))}`);
      await breath.take();
    }
  }
  return { heads, tokens };
}

/** Of a run under way, or one that is no log of ours or Inspect's. */
async function turnsOfReader(
  reader: RunReader,
  key: SampleKey,
  breath: Breath,
): Promise<TranscriptTurns | undefined> {
  const fields = await reader.fields(key);
  const builder = new TurnBuilder();
  let [events, isAll] = [0, true];
  for await (const { value } of reader.events(key)) {
    builder.add(value, events++);
    isAll = builder.turns.length <= TURNS_MAX;
    if (!isAll) break;
    await breath.take();
  }
  if (!fields && events === 0) return undefined;
  const turns = builder.turns.slice(0, TURNS_MAX);
  const nothing = new Map<string, string>();
  const { input = '', output = null } = fields ?? {};
  return { turns, isAll, heads: nothing, tokens: nothing, input, output };
}

/** A reference with the text that it stands for, as far as that was read. */
export function headOf(text: string, { heads }: Pick<TranscriptTurns, 'heads'>): string {
  const ref = referredHash(text);
  return ref === undefined ? text : (heads.get(ref) ?? text);
}
