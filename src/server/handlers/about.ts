import { definedOf, packageVersion } from '../../base/index.ts';
import type { About } from '../api.ts';
import type { Call } from '../call.ts';

/** What the app has to know before anything else. */
export async function about({ studio }: Call<'about'>): Promise<About> {
  const { sources, results } = studio;
  const tree = await results?.tree();
  return {
    version: packageVersion(),
    places: sources.map(({ place }) => place),
    canWrite: results !== undefined,
    ...definedOf({ whyNot: results ? undefined : NO_RESULTS, commit: tree?.commit }),
    isExport: false,
  };
}

export const NO_RESULTS =
  'Notes, verdicts and tags are kept in the results, and there are none here: begin them with "holdfast results init".';
