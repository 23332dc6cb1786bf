import type { StoredGeneration } from '../../artifacts/index.ts';
import { artifactName } from '../../evals/index.ts';
import type { ArtifactAccount } from '../account.ts';
import type { ArtifactOrigin, NeededArtifact, RunArtifacts } from './run-artifacts.ts';

/** What became of the artifacts of a run. */
export function artifactAccount({
  all,
  spentUsd,
  spentTokens,
}: Pick<RunArtifacts, 'all' | 'spentUsd' | 'spentTokens'>): ArtifactAccount {
  const generations = (isBuilt: boolean) =>
    all.flatMap(({ state }) =>
      state.kind === 'ready' && (state.origin === 'built') === isBuilt ? [state.generation] : [],
    );
  const [built, reused] = [generations(true), generations(false)];
  const countOf = (origin: ArtifactOrigin) =>
    all.filter(({ state }) => state.kind === 'ready' && state.origin === origin).length;
  return {
    reused: reused.length,
    fetched: countOf('fetched'),
    seeded: countOf('seeded'),
    built: built.map(({ manifest }) => ({
      unit: artifactName(manifest),
      generation: manifest.generation,
      usd: manifest.cost.usd,
      tokens: manifest.cost.tokens,
    })),
    savedUsd: sumOf(reused),
    spentUsd,
    savedTokens: reused.reduce((sum, { manifest }) => sum + manifest.cost.tokens, 0),
    spentTokens,
    mended: mendedOf(all),
    unavailable: all.flatMap(unavailable),
  };
}

/** What was damaged here, with where it lies and where the whole copy came from. */
export function mendedOf(all: RunArtifacts['all']): readonly string[] {
  return all.flatMap(({ state }) => ('mended' in state && state.mended !== undefined ? [state.mended] : []));
}

/** Null when the price of one of them is not known. */
function sumOf(generations: readonly StoredGeneration[]): number | null {
  let sum = 0;
  for (const { manifest } of generations) {
    if (manifest.cost.usd === null) return null;
    sum += manifest.cost.usd;
  }
  return sum;
}

function unavailable({ plan, state }: NeededArtifact): ArtifactAccount['unavailable'] {
  if (state.kind !== 'unavailable') return [];
  const { error, isStopped } = state;
  const { code, message: reason, hint } = error;
  return [{ unit: artifactName(plan.unit), code, reason, hint, isStopped }];
}
