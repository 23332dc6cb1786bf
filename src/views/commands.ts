/** What can be typed to get the same rows. */

export interface RunsAsked {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
  /** Places besides those that the command looks into by itself. */
  readonly sources?: readonly string[] | undefined;
}

/** So many runs the command lists unless it is told otherwise. */
export const RUNS_LISTED = 50;

/** The command that lists the same runs: it takes the very same filter. */
export function commandForRuns({ q = '', sort = '', limit, sources = [] }: RunsAsked): string {
  return [
    'holdfast results list',
    ...(q.trim() === '' ? [] : [`--where ${shellWord(q.trim())}`]),
    // With "=": a sort may begin with a minus.
    ...(sort.trim() === '' ? [] : [`--sort=${shellWord(sort.trim())}`]),
    ...(limit === undefined ? [] : [`--limit ${limit}`]),
    ...sources.map((place) => `--source ${shellWord(place)}`),
  ].join(' ');
}

export interface SamplesAsked {
  readonly q?: string | undefined;
  readonly sort?: string | undefined;
  readonly score?: string | undefined;
}

/** The command that exports all samples of a run, for those that a filter leaves and in their order. One that shows the run has neither. */
export function commandForSamples(all: string, { q = '', sort = '', score = '' }: SamplesAsked): string {
  if (!all.startsWith('holdfast log export ')) return all;
  return [
    all,
    ...(q.trim() === '' ? [] : [`--where ${shellWord(q.trim())}`]),
    ...(sort.trim() === '' ? [] : [`--sort=${shellWord(sort.trim())}`]),
    // It only decides what the other two mean.
    ...(score === '' || (q.trim() === '' && sort.trim() === '') ? [] : [`--score ${shellWord(score)}`]),
  ].join(' ');
}

/** A word of a shell, quoted where anything in it means something there. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
