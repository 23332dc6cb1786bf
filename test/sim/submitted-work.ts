import type { SubmittedWork } from '../../src/cluster/index.ts';

/** What submissions say of the code, where a test has none. */
export const NO_WORK: SubmittedWork = {
  ...{ bundle: '', dir: '', file: 'none.eval.ts', eval: 'none', changes: {}, keys: [] },
  ...{ isUnpricedAllowed: false, reuse: 'same', isOutputKept: false },
};
