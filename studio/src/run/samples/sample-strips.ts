import type { SampleStrips } from '../../../../src/server/api.ts';
import { OUTCOME_OF_LETTER } from '../../compare/matrix/matrix-model.ts';
import { formatTime } from '../../ui/format.ts';
import { outcomeShown } from '../../ui/outcomes.ts';

/** Ids are asked for in the address, and servers take no long ones. */
const ADDRESS_UNITS_MAX = 6_000;
const IDS_MAX = 100;

/** Ids in lists that fit into an address each, in their order. One that fits into none is left out. */
export function idBatches(ids: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  let units = 0;
  for (const id of ids) {
    const own = encodeURIComponent(JSON.stringify(id)).length + ','.length;
    if (own > ADDRESS_UNITS_MAX) continue;
    const last = batches.at(-1);
    if (last === undefined || units + own > ADDRESS_UNITS_MAX || last.length === IDS_MAX) {
      batches.push([id]);
      units = own;
    } else {
      last.push(id);
      units += own;
    }
  }
  return batches;
}

/** What became of a sample in run after run. */
export interface SampleStrip {
  /** One letter a run, as the server sends it. */
  readonly letters: string;
  readonly runs: SampleStrips['runs'];
}

/** The strips of all answers that have come, by sample. */
export function stripsById(
  batches: readonly (readonly string[])[],
  answers: readonly (SampleStrips | undefined)[],
): ReadonlyMap<string, SampleStrip> {
  const strips = new Map<string, SampleStrip>();
  for (const [at, ids] of batches.entries()) {
    const answer = answers[at];
    if (answer === undefined) continue;
    for (const [index, id] of ids.entries())
      strips.set(id, { letters: answer.strips[index] ?? '', runs: answer.runs });
  }
  return strips;
}

/** What is said of each result: outcome, when, and in which run. */
export function resultsOf({ letters, runs }: SampleStrip) {
  return runs.map(({ run, start }, at) => {
    const outcome = OUTCOME_OF_LETTER.get(letters[at] ?? '') ?? 'missing';
    const { glyph, word } = outcomeShown(outcome);
    const which = at === runs.length - 1 ? 'this run' : run;
    const when = start === '' ? '' : ` · ${formatTime(start).slice(0, 16)}`;
    return { run, outcome, word, told: `${glyph} ${word}${when} · ${which}` };
  });
}
