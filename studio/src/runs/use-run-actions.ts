import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunItem } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { useCopy } from '../ui/copy.tsx';
import { toggleTerm } from '../ui/query-terms.ts';
import { whyNotSaid } from '../ui/why-not-said.ts';
import { exportCommand } from './run-commands.ts';
import { FAILED } from './terms.ts';
import { useRunsSearch } from './use-runs-search.ts';

const COMPARED_MAX = 6;

/** What can be done with the runs that are selected. `items`: those of them that were seen. */
export function useRunActions(
  runs: readonly string[],
  items: readonly RunItem[],
  atCursor: RunItem | undefined,
) {
  const view = useRunsSearch();
  const navigate = useNavigate();
  const about = useAsk('about', {}, {});
  const words = useAsk('runWords', {}, {});
  const [isTagging, setIsTagging] = useState(false);
  const { isCopied, copy } = useCopy();
  const compared = comparedWith(runs, atCursor);
  return {
    runs,
    isTagging,
    tags: (words.data?.tags ?? []).map(({ word }) => word),
    exportCommand: exportCommand(runs),
    isExportCopied: isCopied,
    onExport: () => copy(exportCommand(runs)),
    cannotCompare: typeof compared === 'string' ? compared : undefined,
    cannotTag: whyNotSaid(about.data, items),
    onCompare: () => {
      if (typeof compared !== 'string')
        void navigate({ to: '/compare', search: { runs: compared.join(',') } });
    },
    onTag: () => setIsTagging(true),
    onTagged: () => setIsTagging(false),
    onFailed: () => view.change({ q: toggleTerm(view.q, FAILED) }),
  };
}

/** The runs of the comparison, the oldest first: it is what the others are compared with. Else why there is none. */
function comparedWith(
  runs: readonly string[],
  atCursor: RunItem | undefined,
): readonly [string, string, ...string[]] | string {
  const [first, second, ...others] = runs.toSorted();
  if (first === undefined) return 'Select runs to compare';
  if (runs.length > COMPARED_MAX) return `At most ${COMPARED_MAX} runs can be compared`;
  if (second !== undefined) return [first, second, ...others];
  const previous = atCursor?.run === first ? atCursor.previous : undefined;
  return previous === undefined ? 'Select one more run' : [previous.run, first];
}
