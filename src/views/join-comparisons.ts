/** Comparisons of one run with several, put together of comparisons with each of them: what stands between two runs depends on no third. */
import type { ComparedSample, CompareView } from '../server/api.ts';

/** Pairs have the same run first, and one other each. */
export function joinCompareViews(pairs: readonly CompareView[]): CompareView | undefined {
  const [first, ...rest] = pairs;
  if (!first) return undefined;
  const scores = new Set(pairs.flatMap((pair) => pair.scores));
  return {
    ...first,
    others: pairs.flatMap(({ others }, index) =>
      // The first letter of its own in the sentence is the name of the run.
      others.map((other) => ({ ...other, said: other.said.replace(/\bB\b/, letterOf(index + 1)) })),
    ),
    scores: [...scores],
    command: rest.reduce((command, pair) => joinCommands(command, pair.command), first.command),
  };
}

/** The first run is A. */
function letterOf(index: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + index);
}

/** `holdfast compare <runs> --source <place> …` */
function joinCommands(one: string, other: string): string {
  const [runs = '', ...places] = one.split(' --source ');
  const [others = '', ...more] = other.split(' --source ');
  const all = new Set([...places, ...more]);
  return [`${runs} ${others.split(' ').at(-1)}`, ...all].join(' --source ');
}

/** The samples of all of them, each list in the order of samples. */
export function joinCompared(pairs: readonly (readonly ComparedSample[])[]): readonly ComparedSample[] {
  const rows = pairs.map((pair) => new Map(pair.map((sample) => [String(sample.id), sample])));
  return idsInOrder(pairs).map((id) => joinSample(rows.map((pair) => pair.get(id))));
}

/** Whatever only a later list has comes after what stands before it there. */
function idsInOrder(pairs: readonly (readonly ComparedSample[])[]): readonly string[] {
  const ids: string[] = [];
  for (const pair of pairs) {
    let at = 0;
    for (const { id } of pair) {
      const known = ids.indexOf(String(id), at);
      if (known >= 0) at = known + 1;
      else if (!ids.includes(String(id))) ids.splice(at++, 0, String(id));
    }
  }
  return ids;
}

const MISSING: ComparedSample['cells'][number] = { outcome: 'missing', epochs: 0, usd: null };

function joinSample(samples: readonly (ComparedSample | undefined)[]): ComparedSample {
  const known = samples.filter((sample) => sample !== undefined);
  // Whoever has it in the first run, or else whoever has it at all, says what it was about.
  const told = known.find(({ cells }) => cells[0]?.outcome !== 'missing') ?? known[0];
  return {
    id: told?.id ?? '',
    input: told?.input ?? '',
    cells: [told?.cells[0] ?? MISSING, ...samples.map((sample) => sample?.cells[1] ?? MISSING)],
    ...standing(samples),
  };
}

/** One run that is worse makes it regressed, whatever is better elsewhere; what only some runs have comes before what improved. */
function standing(
  samples: readonly (ComparedSample | undefined)[],
): Pick<ComparedSample, 'is' | 'difference'> {
  const of = (is: ComparedSample['is']) => samples.filter((sample) => sample?.is === is);
  const [worst] = of('regressed').toSorted(byDifference);
  if (worst) return withDifference('regressed', worst);
  if (samples.includes(undefined) || of('only in some').length > 0) return { is: 'only in some' };
  const best = of('improved').toSorted(byDifference).at(-1);
  if (best) return withDifference('improved', best);
  return withDifference(
    'same',
    samples.find((sample) => sample?.difference !== undefined),
  );
}

function withDifference(is: ComparedSample['is'], sample: ComparedSample | undefined) {
  return sample?.difference === undefined ? { is } : { is, difference: sample.difference };
}

function byDifference(a: ComparedSample | undefined, b: ComparedSample | undefined): number {
  return (a?.difference ?? 0) - (b?.difference ?? 0);
}
