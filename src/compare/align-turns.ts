/** A turn as it is compared: by all that happened in it, and by what was done in it, whatever came of that. */
export interface TurnKeys {
  readonly whole: string;
  readonly action: string;
}

/** Turns of two transcripts side by side, by their places. */
export type AlignedTurn =
  | { readonly is: 'same' | 'changed'; readonly a: number; readonly b: number }
  | { readonly is: 'only a'; readonly a: number; readonly b?: undefined }
  | { readonly is: 'only b'; readonly a?: undefined; readonly b: number };

/**
 * Aligns two transcripts: every turn of either is in one row, in its order. Turns that are the same stand beside each other; between them
 * those in which the same was done, and then whatever is left, one by one.
 */
export function alignTurns(a: readonly TurnKeys[], b: readonly TurnKeys[]): readonly AlignedTurn[] {
  const rows: AlignedTurn[] = [];
  const all = { fromA: 0, toA: a.length, fromB: 0, toB: b.length };
  const actions = [a.map(({ action }) => action), b.map(({ action }) => action)] as const;
  const wholes = [a.map(({ whole }) => whole), b.map(({ whole }) => whole)] as const;
  eachGap(matched(...wholes, all), all, {
    gap: (gap) => rows.push(...changedIn(gap, actions)),
    pair: ([one, other]) => rows.push({ is: 'same', a: one, b: other }),
  });
  return rows;
}

/** The first row that is not the same; undefined when all are. */
export function firstDivergence(rows: readonly AlignedTurn[]): number | undefined {
  const first = rows.findIndex(({ is }) => is !== 'same');
  return first < 0 ? undefined : first;
}

interface Range {
  readonly fromA: number;
  readonly toA: number;
  readonly fromB: number;
  readonly toB: number;
}

type PairOfPlaces = readonly [a: number, b: number];

function changedIn(
  range: Range,
  actions: readonly [a: readonly string[], b: readonly string[]],
): readonly AlignedTurn[] {
  const rows: AlignedTurn[] = [];
  eachGap(matched(...actions, range), range, {
    gap: (gap) => rows.push(...oneByOne(gap)),
    pair: ([one, other]) => rows.push({ is: 'changed', a: one, b: other }),
  });
  return rows;
}

function oneByOne({ fromA, toA, fromB, toB }: Range): readonly AlignedTurn[] {
  const rows: AlignedTurn[] = [];
  const both = Math.min(toA - fromA, toB - fromB);
  for (let at = 0; at < both; at++) rows.push({ is: 'changed', a: fromA + at, b: fromB + at });
  for (let a = fromA + both; a < toA; a++) rows.push({ is: 'only a', a });
  for (let b = fromB + both; b < toB; b++) rows.push({ is: 'only b', b });
  return rows;
}

/** Goes through pairs that are in order on both sides, and through what lies between them. */
function eachGap(
  pairs: readonly PairOfPlaces[],
  range: Range,
  visit: { readonly gap: (gap: Range) => void; readonly pair: (pair: PairOfPlaces) => void },
): void {
  let { fromA, fromB } = range;
  for (const pair of pairs) {
    const [a, b] = pair;
    if (a > fromA || b > fromB) visit.gap({ fromA, toA: a, fromB, toB: b });
    visit.pair(pair);
    [fromA, fromB] = [a + 1, b + 1];
  }
  if (range.toA > fromA || range.toB > fromB) visit.gap({ fromA, toA: range.toA, fromB, toB: range.toB });
}

/** What is compared turn by turn with each other: beyond, only what is there once on both sides is matched. */
const CELLS_MAX = 250_000;
const DEPTH_MAX = 40;

/**
 * Places with the same key on both sides, in order: the common beginning and end, then what either side has once, then the longest common
 * subsequence of what is left, where that is small enough. Memory and time are bounded however long the sides are.
 */
function matched(
  a: readonly string[],
  b: readonly string[],
  range: Range,
  depth = 0,
): readonly PairOfPlaces[] {
  let { fromA, toA, fromB, toB } = range;
  const first: PairOfPlaces[] = [];
  while (fromA < toA && fromB < toB && a[fromA] === b[fromB]) first.push([fromA++, fromB++]);
  const last: PairOfPlaces[] = [];
  while (fromA < toA && fromB < toB && a[toA - 1] === b[toB - 1]) last.push([--toA, --toB]);
  const middle = { fromA, toA, fromB, toB };
  return [...first, ...matchedInside(a, b, middle, depth), ...last.reverse()];
}

function matchedInside(
  a: readonly string[],
  b: readonly string[],
  range: Range,
  depth: number,
): readonly PairOfPlaces[] {
  const cells = (range.toA - range.fromA) * (range.toB - range.fromB);
  if (cells === 0) return [];
  if (cells <= CELLS_MAX) return longestCommon(a, b, range);
  const anchors = depth < DEPTH_MAX ? inOrderOnBoth(onceOnBoth(a, b, range)) : [];
  const pairs: PairOfPlaces[] = [];
  if (anchors.length === 0) return pairs;
  eachGap(anchors, range, {
    gap: (gap) => pairs.push(...matched(a, b, gap, depth + 1)),
    pair: (pair) => pairs.push(pair),
  });
  return pairs;
}

function onceOnBoth(a: readonly string[], b: readonly string[], range: Range): readonly PairOfPlaces[] {
  const onA = placesOnce(a, range.fromA, range.toA);
  const onB = placesOnce(b, range.fromB, range.toB);
  return [...onA].flatMap(([key, place]) => {
    const other = onB.get(key);
    return place === undefined || other === undefined ? [] : [[place, other] as const];
  });
}

/** Undefined for what is there several times. */
function placesOnce(keys: readonly string[], from: number, to: number): Map<string, number | undefined> {
  const places = new Map<string, number | undefined>();
  for (let at = from; at < to; at++) {
    const key = keys[at] ?? '';
    places.set(key, places.has(key) ? undefined : at);
  }
  return places;
}

/** The longest row of pairs that go up on both sides. They are given in the order of one. */
function inOrderOnBoth(pairs: readonly PairOfPlaces[]): readonly PairOfPlaces[] {
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [at, [, b]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < b) low = middle + 1;
      else high = middle;
    }
    before[at] = low > 0 ? ends[low - 1] : undefined;
    ends[low] = at;
  }
  const row: PairOfPlaces[] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) {
    const pair = pairs[at];
    if (pair) row.push(pair);
  }
  return row.reverse();
}

/** By the usual table: how much the ends of both sides have in common, from each place on. */
function longestCommon(a: readonly string[], b: readonly string[], range: Range): readonly PairOfPlaces[] {
  const { fromA, toA, fromB, toB } = range;
  const width = toB - fromB + 1;
  const common = new Uint16Array((toA - fromA + 1) * width);
  const at = (one: number, other: number) => (one - fromA) * width + (other - fromB);
  for (let one = toA - 1; one >= fromA; one--)
    for (let other = toB - 1; other >= fromB; other--)
      common[at(one, other)] =
        a[one] === b[other]
          ? (common[at(one + 1, other + 1)] ?? 0) + 1
          : Math.max(common[at(one + 1, other)] ?? 0, common[at(one, other + 1)] ?? 0);
  const pairs: PairOfPlaces[] = [];
  for (let [one, other] = [fromA, fromB]; one < toA && other < toB; ) {
    if (a[one] === b[other]) pairs.push([one++, other++]);
    else if ((common[at(one + 1, other)] ?? 0) >= (common[at(one, other + 1)] ?? 0)) one++;
    else other++;
  }
  return pairs;
}
