import { type Clock, type SampleKey, stringifyJson } from '../../base/index.ts';
import {
  ALL_PARTS,
  attachmentHash,
  createCondenser,
  DEFAULT_LIMITS,
  jsonStringSlices,
  MemberJson,
  type Position,
  type RunReader,
  type SampleContext,
  type SampleFields,
  type SamplePart,
  type SamplePiece,
} from '../../log/index.ts';
import { Breath } from '../breath.ts';
import type { Spool } from './spool.ts';

/** Longer values come in slices, so that not even one of them is ever held. */
const SLICE_BYTES = 2 ** 20;
/** To look at the clock for each would take longer than many of them do. */
const PIECES_A_BREATH = 32;

/** Reads a sample of a log, as it is stored. */
export async function fillFromLog(
  spool: Spool,
  { document }: SampleContext,
  { clock, signal }: FillPorts,
): Promise<void> {
  const breath = new Breath(clock, signal);
  let readBytes = 0;
  for await (const pieces of document.scanTogether(ALL_PARTS, { sliceBytes: SLICE_BYTES })) {
    for (const [at, piece] of pieces.entries()) {
      spool.add(piece);
      readBytes += piece.bytes.length;
      if (at % PIECES_A_BREATH === 0) await breath.take();
    }
    spool.progress = Math.min(0.5, (0.5 * readBytes) / Math.max(document.sizeBytes, 1));
    await spool.settle();
  }
}

export interface FillPorts {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Reads a sample whose pieces are not to be had: its events are condensed again, so that a conversation that grows does not fill the
 * disk. It can be asked to go on when there are more.
 */
export class ReaderFill {
  readonly #sample: SampleKey;
  readonly #condenser = createCondenser();
  #position: Position | undefined;
  /** What each field said when it was last read: it is added again only when it says something else. */
  readonly #known = new Map<string, string>();
  /** Of the attempt that is read: of one that is begun anew, nothing that was read holds. */
  uuid: string | undefined;

  constructor(sample: SampleKey) {
    this.#sample = sample;
  }

  /** False when there is no such sample. */
  async fill(spool: Spool, reader: RunReader, { clock, signal }: FillPorts): Promise<boolean> {
    const breath = new Breath(clock, signal);
    const isThere = await this.readFields(spool, reader);
    if (!isThere) return false;
    for await (const { position, value } of reader.events(this.#sample, this.#position)) {
      const condensed = this.#condenser.condense(value);
      for (const { hash, text } of condensed.attachments)
        for (const piece of textPieces(hash, text)) spool.add(piece);
      for (const part of ['messages', 'calls'] as const)
        for (const { position: at, json } of condensed[part])
          for (const piece of pieces(part, String(at), json)) spool.add(piece);
      for (const piece of pieces('events', String(spool.eventCount), condensed.json)) spool.add(piece);
      this.#position = position;
      if (spool.eventCount % PIECES_A_BREATH !== 0) continue;
      await breath.take();
      await spool.settle();
    }
    return true;
  }

  async readFields(spool: Spool, reader: RunReader): Promise<SampleFields | undefined> {
    const fields = await reader.fields(this.#sample);
    if (!fields) return undefined;
    this.uuid = fields.uuid;
    for (const [key, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      const json = stringifyJson(value);
      const hash = attachmentHash(json);
      if (this.#known.get(key) === hash) continue;
      this.#known.set(key, hash);
      for (const piece of pieces('fields', key, json)) spool.add(piece);
    }
    return fields;
  }
}

/** Reads the events of an earlier attempt, which are a field of the sample. */
export async function fillFromRetry(
  spool: Spool,
  { parent, attempt, place }: { readonly parent: Spool; readonly attempt: number; readonly place: string },
  { clock, signal }: FillPorts,
): Promise<void> {
  while (!(await parent.untilRead({ signal, ms: 10_000 }))) spool.progress = 0;
  const field = parent.field('error_retries');
  if (!field) return;
  const json = new MemberJson({
    path: place,
    member: 'error_retries',
    sizeBytes: field.sizeBytes,
    open: () => parent.fieldChunks(field),
    limits: DEFAULT_LIMITS,
  });
  const breath = new Breath(clock, signal);
  const decide = ([index, key, ...rest]: readonly (string | number)[]) => {
    if (index === undefined) return 'enter';
    if (index !== attempt - 1 || (key !== undefined && key !== 'events')) return 'skip';
    return rest.length === 0 ? 'enter' : 'take';
  };
  for await (const found of json.splitTogether({ decide, sliceBytes: SLICE_BYTES })) {
    for (const { path, bytes, isMore } of found) {
      if (path.length !== 3) continue;
      const piece = { part: 'events', key: String(path[2]), bytes } as const;
      spool.add(isMore ? { ...piece, isMore } : piece);
    }
    await breath.take();
    await spool.settle();
  }
}

/** Neither the text nor its JSON is there twice, however long it is. */
function* textPieces(hash: string, text: string): Generator<SamplePiece> {
  let last: Uint8Array | undefined;
  for (const slice of jsonStringSlices(text)) {
    if (last) yield { part: 'attachments', key: hash, bytes: last, isMore: true };
    last = Buffer.from(slice, 'utf8');
  }
  if (last) yield { part: 'attachments', key: hash, bytes: last };
}

/** A long text is encoded in slices. */
function* pieces(part: SamplePart, key: string, json: string): Generator<SamplePiece> {
  if (json.length <= SLICE_BYTES) {
    yield { part, key, bytes: Buffer.from(json, 'utf8') };
    return;
  }
  for (let at = 0; at < json.length; ) {
    const end = Math.min(at + SLICE_BYTES, json.length);
    // Not between the halves of a pair.
    const isInPair =
      end < json.length && json.charCodeAt(end - 1) >= 0xd800 && json.charCodeAt(end - 1) <= 0xdbff;
    const to = isInPair ? end + 1 : end;
    const bytes = Buffer.from(json.slice(at, to), 'utf8');
    yield to < json.length ? { part, key, bytes, isMore: true } : { part, key, bytes };
    at = to;
  }
}
