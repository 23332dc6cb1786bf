import type { SampleKey } from '../../base/index.ts';
import type { AnswerOf, AnyJson, FindLine, RouteName } from '../api.ts';
import type { Call } from '../call.ts';
import { noEvent, noSample } from '../server-errors.ts';
import { ALONE, Bodies, IN_A_PAGE } from '../spool/bodies.ts';
import { conversationOf } from '../spool/conversation.ts';
import { findInSpool } from '../spool/find.ts';
import { parsePlace } from '../spool/place.ts';
import { TextReader } from '../spool/read-text.ts';
import { messageBroughtBy } from '../spool/skeleton.ts';
import type { Spool } from '../spool/spool.ts';
import { type SpoolLease, spoolsOf } from '../spool/spools.ts';

/** A page of bodies has about so many characters. */
const PAGE_UNITS = 2 ** 20;
/** How long somebody waits for what has not been read yet, before being told that it is not there. */
const WAIT_MS = 10_000;
/** The first part of a skeleton is wanted at once; the others are worth waiting for, so that fewer are asked for. */
const FIRST_PART = { events: 2_000, ms: 100 };
/** The rest of a page is worth a moment. */
const MORE_MS = 400;
const SHORT_MS = 40;
const NEXT_PART = { events: 20_000, ms: 250 };
/** Texts that come after all events are waited for as long as people do not notice much. */
const TEXTS_MS = 2_000;

export async function skeleton(call: Call<'skeleton'>): Promise<AnswerOf<'skeleton'>> {
  const { from, limit } = call.query;
  using lease = await leaseOf(call);
  const { spool } = lease;
  sameWhenWhole(call, lease, from, limit);
  const { signal } = call;
  // Most samples are read as soon as they are asked for: then one answer has all.
  await spool.untilWhole({ signal, ms: SHORT_MS });
  const gathered = from === 0 ? FIRST_PART : NEXT_PART;
  const isEnough = () => spool.skeleton.length >= from + Math.min(limit, gathered.events);
  if (!(await spool.until(isEnough, { signal, ms: gathered.ms })))
    await spool.until(() => spool.skeleton.length > from, { signal, ms: WAIT_MS });
  const known = spool.skeleton.length;
  const to = Math.min(known, from + limit);
  return {
    known,
    // While the run is under way, its samples may go on, or begin again.
    isWhole: spool.isWhole && !lease.isLive,
    progress: spool.progress,
    ...spool.skeleton.part(Math.min(from, known), Math.max(Math.min(from, known), to)),
  };
}

export async function events(call: Call<'events'>): Promise<AnswerOf<'events'>> {
  const { from, limit } = call.query;
  using lease = await leaseOf(call);
  const { spool } = lease;
  sameWhenWhole(call, lease, from, limit);
  await spool.until(() => spool.eventCount > from, { signal: call.signal, ms: WAIT_MS });
  const bodies = bodiesOf(call, spool);
  const found: AnyJson[] = [];
  const messages: Record<string, AnyJson> = {};
  while (found.length < limit && bodies.cuts.sizeUnits < PAGE_UNITS) {
    const index = from + found.length;
    await spool.until(() => spool.eventCount > index || spool.isRead, { signal: call.signal, ms: MORE_MS });
    const event = await bodies.event(index, IN_A_PAGE);
    if (!event) break;
    found.push(bodies.cuts.settle(event));
    for (const [position, message] of await bodies.answered(event))
      messages[position] ??= bodies.cuts.settle(message);
  }
  return { from, events: found, messages };
}

export async function event(call: Call<'event'>): Promise<AnswerOf<'event'>> {
  using lease = await leaseOf(call);
  const { spool } = lease;
  const given = call.params.event ?? '';
  sameWhenWhole(call, lease, given);
  const index = /^\d{1,9}$/.test(given) ? Number(given) : -1;
  await spool.until(() => spool.eventCount > index, { signal: call.signal, ms: WAIT_MS });
  const found = await bodiesOf(call, spool).wholeEvent(index);
  if (found === undefined) throw noEvent(given);
  return found;
}

export async function eventPlace(call: Call<'eventPlace'>): Promise<AnswerOf<'eventPlace'>> {
  const { uuid } = call.query;
  using lease = await leaseOf(call);
  const { spool } = lease;
  const looked = new Set<number>();
  // The event may have been read already, long before all of them are.
  for (;;) {
    const isWhole = spool.isWhole;
    for (const index of spool.skeleton.mayBe(uuid)) {
      if (looked.has(index)) continue;
      looked.add(index);
      const found = await bodiesOf(call, spool).event(index, ALONE);
      if (found && (found.uuid === uuid || messageBroughtBy(found) === uuid)) return { event: index };
    }
    if (isWhole) throw noEvent(uuid);
    const known = spool.skeleton.length;
    await spool.until(() => spool.skeleton.length > known + 10_000, { signal: call.signal, ms: WAIT_MS });
  }
}

export async function messages(call: Call<'messages'>): Promise<AnswerOf<'messages'>> {
  const { from, limit } = call.query;
  using lease = await leaseOf(call);
  const { spool } = lease;
  sameWhenWhole(call, lease, from, limit);
  await spool.untilFirstFields({ signal: call.signal, ms: WAIT_MS });
  const bodies = bodiesOf(call, spool);
  const conversation = await conversationOf(spool, bodies);
  const found: AnyJson[] = [];
  while (found.length < limit && bodies.cuts.sizeUnits < PAGE_UNITS) {
    const message = await conversation.at(from + found.length);
    if (message === undefined) break;
    found.push(bodies.cuts.settle(message));
  }
  return { from, total: conversation.length, messages: found };
}

export async function text(call: Call<'text'>): Promise<AnswerOf<'text'>> {
  const { at, from, length } = call.query;
  const { attempt } = parsePlace(at);
  using lease = await leaseOf(call, attempt);
  const { spool } = lease;
  sameWhenWhole(call, lease, at, from, length);
  await spool.owner.untilRead({ signal: call.signal, ms: WAIT_MS });
  return textsOf(spool).read(at, from, length);
}

export async function* find(call: Call<'find'>): AsyncGenerator<FindLine> {
  const { studio, signal, query } = call;
  using lease = await leaseOf(call);
  yield* findInSpool(lease.spool, { ...query, clock: studio.clock, signal });
}

type SampleRoute = 'skeleton' | 'events' | 'event' | 'eventPlace' | 'messages' | 'text' | 'find' | 'sample';

export function leaseOf(call: Call<SampleRoute>, attempt = attemptOf(call.query)): Promise<SpoolLease> {
  const { run = '' } = call.params;
  return spoolsOf(call.studio).lease({ run, ...sampleOf(call), attempt });
}

/** E_SAMPLE_NONE for what can be none. */
export function sampleOf({ params }: Call<RouteName>): SampleKey {
  const { sample: id = '', epoch = '', run = '' } = params;
  if (!/^-?\d{1,9}$/.test(epoch)) throw noSample(run, { id, epoch: Number.NaN });
  return { id, epoch: Number(epoch) };
}

export function bodiesOf(call: Call<SampleRoute>, spool: Spool): Bodies {
  const waiting = { signal: call.signal, ms: TEXTS_MS };
  return new Bodies(spool, { attempt: attemptOf(call.query), texts: textsOf(spool), waiting });
}

/** What was read of a log that is finished stays so; before all of it is read, the same question has other answers. */
function sameWhenWhole(
  call: Call<SampleRoute>,
  { spool, version }: SpoolLease,
  ...of: readonly (string | number)[]
): void {
  if (version !== undefined && spool.isWhole && spool.owner.isWhole)
    call.sameAs(version, attemptOf(call.query), ...of);
}

function attemptOf(query: object): number | undefined {
  const attempt: unknown = Reflect.get(query, 'attempt');
  return typeof attempt === 'number' ? attempt : undefined;
}

const readers = new WeakMap<Spool, TextReader>();

function textsOf(spool: Spool): TextReader {
  const known = readers.get(spool) ?? new TextReader(spool);
  readers.set(spool, known);
  return known;
}
