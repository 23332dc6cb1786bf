import { artifactName } from '../../evals/index.ts';
import type { PlannedSample } from '../plan.ts';
import type { ArtifactPlan } from './artifact-plans.ts';
import type { RunArtifacts } from './run-artifacts.ts';

/** A build that others have to do before samples can run. */
export interface DueBuild {
  /** `<kind>/<key>` */
  readonly unit: string;
  readonly recipe: string;
  /** Positions in the plan of samples that read it. */
  readonly samples: readonly number[];
  /** Recipes of builds that must come first: it is made of what they build. */
  readonly inputs: readonly string[];
}

/** What has to be built for these samples, each once, and after what it is made of. */
export function dueBuilds(
  artifacts: RunArtifacts,
  samples: Iterable<Pick<PlannedSample, 'index' | 'position'>>,
): readonly DueBuild[] {
  const readers = new Map<string, { readonly plan: ArtifactPlan; readonly positions: number[] }>();
  for (const { index, position } of samples)
    for (const plan of artifacts.unbuiltOf(index)) {
      const known = readers.get(plan.unit.recipe);
      if (known) known.positions.push(position);
      else readers.set(plan.unit.recipe, { plan, positions: [position] });
    }
  const unbuilt = new Set<string>();
  for (const { plan, state } of artifacts.all) if (state.kind === 'unbuilt') unbuilt.add(plan.unit.recipe);
  const builds = new Map<string, DueBuild>();
  const add = ({ unit, inputs }: ArtifactPlan) => {
    if (builds.has(unit.recipe)) return;
    const first = plansIn(inputs).filter((input) => unbuilt.has(input.unit.recipe));
    for (const input of first) add(input);
    builds.set(unit.recipe, {
      unit: artifactName(unit),
      recipe: unit.recipe,
      samples: readers.get(unit.recipe)?.positions ?? [],
      inputs: [...new Set(first.map((input) => input.unit.recipe))],
    });
  };
  for (const { plan } of readers.values()) add(plan);
  return [...builds.values()];
}

function plansIn(inputs: ArtifactPlan['inputs']): readonly ArtifactPlan[] {
  return [...inputs.values()].flatMap((input) => (input.kind === 'artifact' ? [input.plan] : []));
}
