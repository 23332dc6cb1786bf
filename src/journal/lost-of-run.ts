import type { JournalReader } from './journal-reader.ts';
import type { UnreadableJournal } from './read-writers.ts';
import type { LostRows } from './records.ts';

/** What a run has lost, over all its writers: sentences about writers of which nothing is left, and the sum. */
export interface LostOfRun {
  readonly sentences: readonly string[];
  readonly lost?: LostRows;
}

/**
 * A writer that others came after [JRN-15] and of which nothing is left is missed. What a later writer copied from a journal
 * that is damaged now is not lost: attempts that were gone on with are in both [JRN-14].
 */
export function lostOfRun(
  readers: readonly JournalReader[],
  unreadable: readonly UnreadableJournal[],
): LostOfRun {
  const sentences: string[] = [];
  const all: LostRows[] = [];
  const add = (writer: string, lost: LostRows | undefined) => {
    const rest = lost && withoutCopies(lost, copiesOf(writer, readers));
    if (rest) all.push(rest);
    return rest;
  };
  for (const { writer, lost } of unreadable) {
    const others = readers.filter((reader) => reader.writer().writer === writer);
    add(writer, lost && lessThan(lost, others.map(heldBy).reduce(most, NOTHING)));
  }
  for (const reader of readers) {
    const { lost } = reader.damage();
    if (lost) add(reader.writer().writer, notElsewhere(reader, lost, readers));
  }
  for (const { writer, by, held, found } of remembered(readers, unreadable)) {
    const short = held && lessThan(held, found);
    if (found && !short) continue;
    const what = found ? 'shorter than' : 'gone; it was there';
    const lost = toldLoss(add(writer, short));
    sentences.push(`The journal of writer ${writer} is ${what} when writer ${by} began.${lost}`);
  }
  return { sentences, ...(all.length > 0 ? { lost: all.reduce(addLost) } : {}) };
}

/** What a journal lost and another one of the same writer, made of its segments, does not have either. */
function notElsewhere(
  reader: JournalReader,
  lost: LostRows,
  readers: readonly JournalReader[],
): LostRows | undefined {
  const { writer } = reader.writer();
  const others = readers.filter((one) => one !== reader && one.writer().writer === writer);
  if (others.length === 0) return lost;
  const found = others.map(heldBy).reduce(most, heldBy(reader));
  return lessThan(addLost(heldBy(reader), lost), found);
}

function toldLoss(lost: LostRows | undefined): string {
  if (!lost) return '';
  return ` Answers that are lost: ${lost.answers}, for which $${lost.usd} were paid; results: ${lost.results}.`;
}

/** What a journal holds, as the next writer remembers it. */
export function heldBy(reader: JournalReader): LostRows {
  const count = (table: string) => reader.rows.number(`SELECT count(*) FROM ${table}`);
  return { answers: count('answers'), results: count('results'), usd: reader.spentUsd() };
}

interface Remembered {
  readonly writer: string;
  /** Who remembers it. */
  readonly by: string;
  /** What it held then, if that was written down. */
  readonly held: LostRows | undefined;
  /** What it holds now, with what is known to be lost of it; undefined when nothing is left of it. */
  readonly found: LostRows | undefined;
}

/** The writers that others came after, as the last of these remembers them; without those that cannot be read. */
function remembered(
  readers: readonly JournalReader[],
  unreadable: readonly UnreadableJournal[],
): readonly Remembered[] {
  const isUnreadable = new Set(unreadable.map(({ writer }) => writer));
  const known = new Map<string, Omit<Remembered, 'found'>>();
  for (const { writer: by, after, held } of readers.map((reader) => reader.writer()))
    for (const writer of after)
      if (!isUnreadable.has(writer)) known.set(writer, { writer, by, held: held?.[writer] });
  // Each is looked at once, however many came after it.
  const byWriter = Map.groupBy(readers, (reader) => reader.writer().writer);
  return [...known.values()].map((one) => ({
    ...one,
    found: (byWriter.get(one.writer) ?? []).map(heldOrLost).reduce(most, undefined),
  }));
}

function heldOrLost(reader: JournalReader): LostRows {
  const { lost } = reader.damage();
  return lost ? addLost(heldBy(reader), lost) : heldBy(reader);
}

/** A writer may be there twice, from its journal and from its segments. */
export function most(a: LostRows | undefined, b: LostRows): LostRows {
  if (!a) return b;
  const [answers, results] = [Math.max(a.answers, b.answers), Math.max(a.results, b.results)];
  return { answers, results, usd: Math.max(a.usd, b.usd) };
}

/** Undefined when nothing is missing. */
function lessThan(held: LostRows, found: LostRows = NOTHING): LostRows | undefined {
  const answers = Math.max(0, held.answers - found.answers);
  const results = Math.max(0, held.results - found.results);
  const usd = Math.round(Math.max(0, held.usd - found.usd) * 1e9) / 1e9;
  return answers + results === 0 ? undefined : { answers, results, usd };
}

const NOTHING: LostRows = { answers: 0, results: 0, usd: 0 };

type Copies = Pick<LostRows, 'answers' | 'usd'>;

/** What other journals hold of a writer's attempts beyond what its own journal still has. */
function copiesOf(writer: string, readers: readonly JournalReader[]): Copies {
  const own = readers.filter((reader) => reader.writer().writer === writer);
  const found = new Map<string, Copies>();
  for (const reader of readers.filter((one) => !own.includes(one))) {
    for (const { n, origin } of reader.copiesFrom(writer)) {
      const copy = { answers: reader.answerCount(n), usd: reader.spentUsd(n) };
      if (copy.answers > (found.get(origin)?.answers ?? 0)) found.set(origin, copy);
    }
  }
  let [answers, usd] = [0, 0];
  for (const [origin, copy] of found) {
    const n = Number(origin.slice(origin.lastIndexOf('/') + 1));
    answers += copy.answers - Math.max(0, ...own.map((reader) => reader.answerCount(n)));
    usd += copy.usd - Math.max(0, ...own.map((reader) => reader.spentUsd(n)));
  }
  return { answers, usd };
}

function withoutCopies({ answers, results, usd }: LostRows, copies: Copies): LostRows {
  const less = (amount: number, copied: number) => Math.max(0, amount - Math.max(0, copied));
  return { answers: less(answers, copies.answers), results, usd: less(usd, copies.usd) };
}

function addLost(a: LostRows, b: LostRows): LostRows {
  return { answers: a.answers + b.answers, results: a.results + b.results, usd: a.usd + b.usd };
}
