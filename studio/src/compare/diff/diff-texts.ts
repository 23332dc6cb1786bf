import { diffArrays, diffWordsWithSpace } from 'diff';

/** A part of a line: kept, or only on this side. */
export type WordPart = readonly [text: string, isChanged: boolean];

/**
 * One row of a diff, by the numbers of lines from 0. `same` stands for `count` lines on both sides. Of a line that was changed into
 * another the words are told that differ, as far as there was time for it.
 */
export type DiffRow =
  | { readonly is: 'same'; readonly a: number; readonly b: number; readonly count: number }
  | { readonly is: 'removed'; readonly a: number }
  | { readonly is: 'added'; readonly b: number }
  | {
      readonly is: 'changed';
      readonly a: number;
      readonly b: number;
      readonly words?: { readonly a: readonly WordPart[]; readonly b: readonly WordPart[] };
    };

export interface TextDiff {
  readonly rows: readonly DiffRow[];
  /** False when the time was over: then what lies between the first and the last difference is told as a whole. */
  readonly isExact: boolean;
}

export interface DiffOptions {
  readonly deadlineMs: number;
  readonly nowMs: () => number;
}

/** Lines first, then the words within lines that were changed. Whatever the texts are, it ends about when the deadline says. */
export function diffTexts(a: string, b: string, { deadlineMs, nowMs }: DiffOptions): TextDiff {
  const endMs = nowMs() + deadlineMs;
  const [linesA, linesB] = [linesOf(a), linesOf(b)];
  const { before, after } = commonEnds(linesA, linesB);
  const middleA = linesA.slice(before, linesA.length - after);
  const middleB = linesB.slice(before, linesB.length - after);
  const parts = diffArrays(middleA, middleB, { timeout: Math.max(1, deadlineMs * 0.7) });
  const rows: DiffRow[] = [];
  addSame(rows, 0, 0, before);
  if (parts === undefined)
    addChanged(rows, { a: before, b: before, removed: middleA.length, added: middleB.length });
  else addParts(rows, parts, before);
  addSame(rows, linesA.length - after, linesB.length - after, after);
  const timed = { endMs, nowMs };
  return { rows: rows.map((row) => withWords(row, linesA, linesB, timed)), isExact: parts !== undefined };
}

/** The lines of a text; no text has no lines. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** How many lines are the same at both ends: most of two long texts, found without any search. */
function commonEnds(a: readonly string[], b: readonly string[]) {
  const most = Math.min(a.length, b.length);
  let before = 0;
  while (before < most && a[before] === b[before]) before += 1;
  let after = 0;
  while (after < most - before && a[a.length - 1 - after] === b[b.length - 1 - after]) after += 1;
  return { before, after };
}

function addSame(rows: DiffRow[], a: number, b: number, count: number): void {
  if (count > 0) rows.push({ is: 'same', a, b, count });
}

interface Changed {
  readonly a: number;
  readonly b: number;
  readonly removed: number;
  readonly added: number;
}

/** Lines that were taken away and lines that came in their place are paired in their order. */
function addChanged(rows: DiffRow[], { a, b, removed, added }: Changed): void {
  const paired = Math.min(removed, added);
  for (let at = 0; at < paired; at += 1) rows.push({ is: 'changed', a: a + at, b: b + at });
  for (let at = paired; at < removed; at += 1) rows.push({ is: 'removed', a: a + at });
  for (let at = paired; at < added; at += 1) rows.push({ is: 'added', b: b + at });
}

interface Part {
  readonly count: number;
  readonly added: boolean;
  readonly removed: boolean;
}

function addParts(rows: DiffRow[], parts: readonly Part[], from: number): void {
  let [a, b] = [from, from];
  let [removed, added] = [0, 0];
  const flush = () => {
    addChanged(rows, { a: a - removed, b: b - added, removed, added });
    [removed, added] = [0, 0];
  };
  for (const part of parts) {
    if (part.removed) {
      removed += part.count;
      a += part.count;
    } else if (part.added) {
      added += part.count;
      b += part.count;
    } else {
      flush();
      addSame(rows, a, b, part.count);
      a += part.count;
      b += part.count;
    }
  }
  flush();
}

interface Timed {
  readonly endMs: number;
  readonly nowMs: () => number;
}

const WORDS_MS = 40;

function withWords(
  row: DiffRow,
  linesA: readonly string[],
  linesB: readonly string[],
  timed: Timed,
): DiffRow {
  if (row.is !== 'changed') return row;
  const leftMs = timed.endMs - timed.nowMs();
  if (leftMs <= 0) return row;
  const parts = diffWordsWithSpace(linesA[row.a] ?? '', linesB[row.b] ?? '', {
    timeout: Math.min(leftMs, WORDS_MS),
  });
  if (parts === undefined) return row;
  const of = (side: 'added' | 'removed') =>
    parts.filter((part) => !part[side]).map((part): WordPart => [part.value, part.added || part.removed]);
  return { ...row, words: { a: of('added'), b: of('removed') } };
}
