import { definedOf, packageVersion } from '../../base/index.ts';
import type { About } from '../api.ts';
import type { Call } from '../call.ts';

/** What the app has to know before anything else. */
export async function about({ studio, isTrusted }: Call<'about'>): Promise<About> {
  const { sources, results } = studio;
  const whyNot = results ? (isTrusted ? undefined : NO_TOKEN) : NO_RESULTS;
  const tree = await results?.tree();
  return {
    version: packageVersion(),
    places: sources.map(({ place }) => place),
    canWrite: whyNot === undefined,
    ...definedOf({ whyNot, commit: tree?.commit }),
    isExport: false,
  };
}

export const NO_RESULTS =
  'Notes, verdicts and tags are kept in the results, and there are none here: begin them with "holdfast results init", and start the Studio again.';

const NO_TOKEN =
  'Writing needs the token: open the address that "holdfast studio" printed, with the token at its end.';
