import type { Account, ArtifactAccount } from '../../runner/index.ts';
import { counted, formatUsd } from '../quantities.ts';

/** What became of the artifacts of a run, in a line or two. */
export function artifactLines({ artifacts }: Pick<Account, 'artifacts'>): readonly string[] {
  if (!artifacts) return [];
  const { reused, built, savedUsd, spentUsd } = artifacts;
  const parts = [
    ...(built.length > 0 || spentUsd !== 0 ? [`${built.length} built for ${priceText(spentUsd)}`] : []),
    ...(reused > 0 ? [`${reusedText(artifacts)}, ${priceText(savedUsd)} saved`] : []),
  ];
  return [
    ...(parts.length > 0 ? [parts.join('; ')] : []),
    ...artifacts.mended,
    ...unavailableLines(artifacts),
  ];
}

function reusedText({ reused, fetched, seeded }: ArtifactAccount): string {
  if (fetched === reused) return `${reused} from the store`;
  if (seeded === reused) return `${reused} from seeds`;
  const of = [
    ...(fetched > 0 ? [`${fetched} of them from the store`] : []),
    ...(seeded > 0 ? [`${seeded} of them from seeds`] : []),
  ];
  return [`${reused} from the cache`, ...of].join(', ');
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
