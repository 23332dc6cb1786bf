import type { PoolKind } from '../journal/index.ts';
import type { SampleFields } from '../log/index.ts';
import { type BufferedCopy, isFinal } from './buffered-copy.ts';
import { layOutPool, type PoolLayout } from './pool-positions.ts';
import { SampleFacts } from './sample-facts.ts';
import { type RebuildOptions, SampleFieldsBuilder } from './sample-fields.ts';

export interface RebuiltSample {
  readonly fields: SampleFields;
  readonly state: 'completed' | 'in-flight';
  /** The rows of the events to be written: those of the last attempt that can be read. */
  readonly events: readonly number[];
  readonly pools: Readonly<Record<PoolKind, PoolLayout>>;
  readonly pending: number;
  /** One sentence for each thing that is known to be missing. */
  readonly missing: readonly string[];
  /** One sentence for each thing that is worth knowing and no damage. */
  readonly notes: readonly string[];
  readonly model: string | undefined;
}

/** Builds a sample from what buffers hold of it: its row, where there is one, and what its events tell. */
export function rebuildSample(copy: BufferedCopy, options: RebuildOptions): RebuiltSample {
  const missing: string[] = [];
  const notes: string[] = [];
  const readable: number[] = [];
  const facts = new SampleFacts();
  for (const row of copy.events) {
    const found = copy.event(row);
    if (!found) continue;
    readable.push(row);
    facts.add(found.tag, found.json);
  }
  const damaged = copy.events.length - readable.length;
  if (damaged > 0) missing.push(`${damaged} of its events could not be read.`);
  for (const { segment, after } of copy.gaps())
    missing.push(`Events after row ${after.event} are missing with segment ${segment}.`);
  const pools = { message: layOut(copy, facts, 'message'), call: layOut(copy, facts, 'call') };
  noteMissingPools(pools, missing);
  const summary = copy.summary();
  const isCompleted = summary ? isFinal(summary) : facts.isScored || facts.error !== undefined;
  if (!summary) missing.push('The row that begins a sample is missing; it was rebuilt from the events.');
  const material = { copy, facts, summary: summary ?? {}, pools, options, missing, notes };
  const builder = new SampleFieldsBuilder(material);
  return {
    fields: isCompleted ? builder.completed() : builder.inFlight(),
    state: isCompleted ? 'completed' : 'in-flight',
    events: readable.slice(facts.attemptStart),
    pools,
    pending: facts.pending,
    missing,
    notes,
    model: facts.model,
  };
}

function layOut(copy: BufferedCopy, facts: SampleFacts, kind: PoolKind): PoolLayout {
  return layOutPool({
    rows: copy.poolRows(kind),
    referred: facts.poolEnds[kind],
    gapsAfter: copy.gaps().map(({ after }) => after[kind]),
    hasEarlierAttempts: facts.attempts > 1,
  });
}

function noteMissingPools(pools: Readonly<Record<PoolKind, PoolLayout>>, missing: string[]): void {
  for (const [kind, layout] of Object.entries(pools)) {
    if (layout.missing === 0) continue;
    const what = kind === 'message' ? 'messages' : 'parts of requests';
    const where = layout.isUncertain ? '; where they stood cannot be told' : '';
    missing.push(`${layout.missing} ${what} that its model events refer to are missing${where}.`);
  }
}
