import { leftOut } from './export-problems.ts';

const OPEN = 'Open it with "holdfast studio", where the bucket and the cache are.';

const noShared = async (): Promise<never> => {
  throw leftOut('shared runs', OPEN);
};

const noArtifacts = async (): Promise<never> => {
  throw leftOut('warm cache', OPEN);
};

/** What lies in a bucket or in the cache of a machine: an export is of runs. */
export const neverExported = {
  shared: noShared,
  sharedRun: noShared,
  sharedWorkers: noShared,
  sharedLeases: noShared,
  sharedFailures: noShared,
  sharedQueue: noShared,
  artifacts: noArtifacts,
  artifact: noArtifacts,
  artifactUses: noArtifacts,
  mergeReports: noArtifacts,
  mergeReport: noArtifacts,
} as const;
