import type { SampleView } from '../server/api.ts';

/** A part of a sample that texts are looked for in, and how it is called where they are found. */
export type SampleField = readonly [where: string, value: unknown];

/** What a search looks through besides the transcript, in the order of reading: `before` it and `after` it. `told`: also by lists. */
export function sampleFields(
  view: SampleView,
): Readonly<Record<'before' | 'after' | 'told', readonly SampleField[]>> {
  const { input, expected, choices = [], output, metadata, store, scores, error } = view;
  return {
    before: [
      ['input', input],
      ['target', [expected, choices]],
    ],
    after: [
      ['output', output],
      ['metadata', metadata],
      ['store', store],
    ],
    told: [
      ['answer', scores.map(({ answer, explanation }) => [answer ?? null, explanation ?? null])],
      ['error', [error?.message ?? null, error?.traceback ?? null]],
    ],
  };
}
