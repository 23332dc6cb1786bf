import { UsageError } from '../../base/index.ts';
import { problemSentence, problemsOf } from '../check-definition.ts';
import type { EvalDefinition, SampleRow } from '../eval.ts';
import type { Artifact, Requirement } from './artifact.ts';
import { requirementSchema } from './artifact-schema.ts';
import { isArtifact } from './define-artifact.ts';

/** A requirement with every default filled in. */
export interface PlannedNeed {
  readonly artifact: Artifact;
  readonly mayBuild: boolean;
  readonly seeds: readonly string[];
}

/** What an eval's samples need. */
export interface PlannedRequirements {
  /** False: it is the same for every row, and need not be asked of each. */
  readonly isByRow: boolean;
  of(row: SampleRow): readonly PlannedNeed[];
}

export function planRequirements(requires: EvalDefinition['requires']): PlannedRequirements | undefined {
  if (requires === undefined) return undefined;
  if (typeof requires !== 'function') {
    const needs = listOf(requires).map(planNeed);
    return { isByRow: false, of: () => needs };
  }
  return { isByRow: true, of: (row) => listOf(requires(row)).map((need) => checkedNeed(need, row)) };
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** What a function gave is looked at when it gives it. */
function checkedNeed(need: unknown, row: SampleRow): PlannedNeed {
  const problems = problemsOf(requirementSchema, need);
  if (problems.length > 0)
    throw new UsageError({
      code: 'E_EVAL_INVALID',
      message: `What \`requires\` gives for sample ${JSON.stringify(row.id)} is wrong: ${problemSentence(problems, 'it')}`,
      hint: 'Return what defineArtifact gives, a list of such, or nothing.',
    });
  return planNeed(need);
}

function planNeed(need: unknown): PlannedNeed {
  const requirement = need as Requirement; // Looked at by the schema.
  if (isArtifact(requirement)) return { artifact: requirement, mayBuild: true, seeds: [] };
  const { artifact, build = true, seed = [] } = requirement;
  return { artifact, mayBuild: build, seeds: typeof seed === 'string' ? [seed] : seed };
}
