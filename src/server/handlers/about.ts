import { definedOf, packageVersion } from '../../base/index.ts';
import type { About } from '../api.ts';
import type { Call } from '../call.ts';
import type { PinnedState } from '../studio.ts';

/** What the app has to know before anything else. */
export async function about({ studio, isTrusted }: Call<'about'>): Promise<About> {
  const { sources, results, pinned } = studio;
  const whyNot = pinned ? AS_IT_WAS : results ? (isTrusted ? undefined : NO_TOKEN) : NO_RESULTS;
  const tree = await results?.tree();
  return {
    version: packageVersion(),
    places: sources.map(({ place }) => place),
    canWrite: whyNot === undefined,
    ...definedOf({
      whyNot,
      commit: pinned?.commit ?? tree?.commit,
      lasting: pinned?.commit ?? (await results?.newest()),
      pinned: pinned && (await pinnedView(pinned)),
    }),
    isExport: false,
  };
}

async function pinnedView({ commit, whenMs, isNewest }: PinnedState): Promise<About['pinned']> {
  return { commit, ...definedOf({ whenMs }), isNewest: await isNewest() };
}

const AS_IT_WAS = 'These are the results as they were; open them as they are to write.';

export const NO_RESULTS =
  'Notes, verdicts and tags are kept in the results, and there are none here: begin them with "holdfast results init", and start the Studio again.';

const NO_TOKEN =
  'Writing needs the token: open the address that "holdfast studio" printed, with the token at its end.';
