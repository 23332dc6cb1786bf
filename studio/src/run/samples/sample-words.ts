import type { AnyJson, SampleEpoch, SampleItem } from '../../../../src/server/api.ts';
import { formatScore } from '../../ui/format.ts';

/** The epoch that is opened with a sample: the first that failed, else the first with an error, else the first. */
export function epochToOpen({ epochs }: SampleItem): number {
  const one =
    epochs.find(({ outcome }) => outcome === 'fail') ??
    epochs.find(({ outcome }) => outcome === 'error') ??
    epochs[0];
  return one?.epoch ?? 1;
}

/** `0.613`, `C`, `true`: the value of a score where there is little room. */
export function scoreText(score: SampleEpoch['scores'][string] | undefined): string {
  if (score === undefined || score.value === null) return '';
  if (typeof score.value === 'number') return formatScore(score.value);
  return typeof score.value === 'string' ? score.value : plainText(score.value);
}

export function plainText(value: AnyJson | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the epochs say, each thing once, in their order. */
export function eachOnce(texts: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(texts.filter((text) => text !== undefined && text !== ''))] as string[];
}

/** The score of a sample over its epochs: the mean of its numbers, else what each of them says. */
export function foldedScore({ epochs }: SampleItem, name: string): string {
  const scores = epochs.map(({ scores: all }) => (Object.hasOwn(all, name) ? all[name] : undefined));
  if (scores.length === 1) return scoreText(scores[0]);
  const numbers = scores.flatMap((score) => score?.number ?? []);
  if (numbers.length > 0) return formatScore(numbers.reduce((sum, one) => sum + one, 0) / numbers.length);
  return eachOnce(scores.map(scoreText)).join(' · ');
}
