import { Breath } from '../breath.ts';
import { inBlocks } from './blocks.ts';
import { CutParser } from './cut-parser.ts';
import { Cuts } from './cuts.ts';
import type { FillPorts } from './fill.ts';
import { AS_IT_IS, HEAD_BYTES, headIn, type Spool } from './spool.ts';
import type { Stretch } from './spool-file.ts';

/** Of an event that is too long to be parsed whole, so much is looked at. */
const GLANCE = { unitsMax: 64_000, textUnitsMax: 400, shareOf: () => 8_000 };
const WHOLE_BYTES_MAX = 2 ** 20;
const ROWS_A_BREATH = 32;

/** Makes the rows that are missing, of what was read. */
export async function makeRows(spool: Spool, { clock, signal }: FillPorts): Promise<void> {
  const breath = new Breath(clock, signal);
  const first = spool.skeleton.length;
  const buffer = Buffer.allocUnsafe(spool.eventCount > first ? WHOLE_BYTES_MAX : 0);
  for (const { stretch, pieces } of inBlocks(eventsFrom(spool, first))) {
    if (stretch.sizeBytes > WHOLE_BYTES_MAX) await addGlances(spool, pieces);
    else {
      const bytes = await spool.read(stretch, buffer);
      for (const { name, at } of pieces) {
        const from = at.start - stretch.start;
        spool.addRow(spool.quickParse(bytes.subarray(from, from + at.sizeBytes)), at.sizeBytes, AS_IT_IS);
        if (name % ROWS_A_BREATH === 0) await breath.take();
      }
    }
    await breath.take();
    spool.progress = 0.5 + (0.5 * spool.skeleton.length) / Math.max(spool.eventCount, 1);
    await spool.settle();
  }
  await labelLate(spool, signal);
}

/** What is that long is looked at without being held. */
async function addGlances(spool: Spool, pieces: readonly { readonly at: Stretch }[]): Promise<void> {
  for (const { at } of pieces) {
    const cuts = new Cuts();
    const parser = new CutParser({ ...GLANCE, cuts, places: { string: () => '', json: () => '' } });
    for await (const chunk of spool.chunks(at)) parser.push(chunk);
    spool.addRow(parser.finish(), at.sizeBytes, (text) => cuts.headOf(text));
  }
}

/** Labels wait for the beginnings of attachments, which lie one after the other. */
async function labelLate(spool: Spool, signal: AbortSignal): Promise<void> {
  if (!spool.skeleton.isAwaiting) return;
  for (const { stretch, pieces } of inBlocks(awaitedOf(spool))) {
    signal.throwIfAborted();
    const isLong = stretch.sizeBytes > WHOLE_BYTES_MAX;
    const bytes = await spool.owner.read(isLong ? { ...stretch, sizeBytes: HEAD_BYTES } : stretch);
    for (const { name, at } of pieces) {
      const from = at.start - stretch.start;
      spool.skeleton.attached(name, headIn(bytes.subarray(from, from + at.sizeBytes)));
    }
  }
}

function* eventsFrom(spool: Spool, first: number) {
  for (let name = first; name < spool.eventCount; name++) {
    const at = spool.eventAt(name);
    if (at) yield { name, at };
  }
}

function* awaitedOf(spool: Spool) {
  for (const name of spool.attachmentHashes()) {
    const at = spool.skeleton.isAwaited(name) ? spool.attachment(name) : undefined;
    if (at) yield { name, at };
  }
}
