import type { Account, ArtifactAccount } from '../../runner/index.ts';
import { counted, formatUsd } from '../quantities.ts';

/** What became of the artifacts of a run, in a line or two. */
export function artifactLines({ artifacts }: Pick<Account, 'artifacts'>): readonly string[] {
  if (!artifacts) return [];
  const { reused, fetched, built, savedUsd, spentUsd } = artifacts;
  const parts = [
    ...(built.length > 0 || spentUsd !== 0 ? [`${built.length} built for ${priceText(spentUsd)}`] : []),
    ...(reused > 0 ? [`${reusedText(reused, fetched)}, ${priceText(savedUsd)} saved`] : []),
  ];
  return [
    ...(parts.length > 0 ? [parts.join('; ')] : []),
    ...artifacts.mended,
    ...unavailableLines(artifacts),
  ];
}

function reusedText(reused: number, fetched: number): string {
  if (fetched === 0) return `${reused} from the cache`;
  return fetched === reused
    ? `${reused} from the store`
    : `${reused} from the cache, ${fetched} of them from the store`;
}

export function unavailableLines({ unavailable }: ArtifactAccount): readonly string[] {
  const told = unavailable.slice(0, SHOWN_MAX);
  // What is to be done about several alike is said once. How to go on with what was stopped is said for the whole of it.
  const shown = told.map(({ reason, hint, isStopped }, at) =>
    isStopped || told.slice(0, at).some((other) => other.hint === hint) ? reason : `${reason} ${hint}`,
  );
  const more = unavailable.length - shown.length;
  return [...shown, ...(more > 0 ? [`${counted(more, 'more artifact')} could not be had: see --json`] : [])];
}

const SHOWN_MAX = 10;

function priceText(usd: number | null): string {
  return usd === null ? 'an unknown price' : formatUsd(usd);
}
