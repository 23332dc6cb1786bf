import type { SampleItem } from '../../../../src/server/api.ts';

/** The epoch that is opened when nobody says which: the first that did not pass, since that is what people look for. */
export function decidingEpoch({ epochs }: SampleItem): number {
  const failed = epochs.find(
    ({ outcome }) => outcome === 'fail' || outcome === 'error' || outcome === 'partial',
  );
  return (failed ?? epochs[0])?.epoch ?? 1;
}
