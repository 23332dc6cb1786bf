import { UsageError } from '../../base/index.ts';
import { artifactName } from '../../evals/index.ts';
import type { ArtifactPlan } from './artifact-plans.ts';

/** What a run may not build and nobody has: refused before anything is spent. */
export function mustBeThere(plans: readonly ArtifactPlan[]): UsageError {
  const units = [...new Set(plans.map(({ unit }) => artifactName(unit)))];
  return new UsageError({
    code: 'E_ARTIFACT_MISSING',
    message: `The eval needs ${units.join(', ')}, which ${units.length === 1 ? 'is' : 'are'} not in the cache, and may not be built by a run (\`build: false\`).`,
    hint: `Build ${units.length === 1 ? 'it' : 'them'} first: holdfast artifacts build <eval file>. Or take ${units.length === 1 ? 'it' : 'them'} from elsewhere: holdfast artifacts merge <cache or bucket>.`,
  });
}
