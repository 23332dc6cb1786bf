import { isRunId, newRunId, type Random } from '../base/index.ts';

/** What tells one build of a recipe from another. It sorts by the time at which the build was committed. */
export type GenerationId = string & { readonly __brand: 'GenerationId' };

/** What decides which generation of a recipe is current. */
export interface Lineage {
  readonly generation: string;
  /** Generations that this one was built to replace; they need not be here. */
  readonly supersedes: readonly string[];
}

/** Like the id of a run: it sorts by time, is unique by its random tail, and can be a file name. */
export function newGenerationId(nowMs: number, random: Random): GenerationId {
  const id: string = newRunId(nowMs, random);
  return id as GenerationId;
}

export function isGenerationId(text: string): text is GenerationId {
  return isRunId(text);
}

/** When a generation was committed, by its id. */
export function timeOfGeneration(id: string): number {
  const [, year, month, day, hour, minute, second, ms] =
    /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})-/.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

/**
 * [ART-7] The current one of the generations of a recipe that are here: of those that no other here replaces, the one with
 * the earliest id. Only the set counts, not the order of arrival, nor any clock. Generations that replace each other in a
 * circle (nobody builds such, but bytes can say anything) replace none of their own circle, so there always is a current one.
 */
export function currentOf<T extends Lineage>(generations: readonly T[]): T | undefined {
  return earliestOf(openOf(generations));
}

/** Those that no other one replaces; there is one wherever there is any. */
export function openOf<T extends Lineage>(generations: readonly T[]): readonly T[] {
  const replacedBy = replacements(generations);
  return generations.filter(({ generation }) => {
    const own = replacedBy.get(generation);
    return !generations.some(
      (other) =>
        replacedBy.get(other.generation)?.has(generation) &&
        !own?.has(other.generation) &&
        other.generation !== generation,
    );
  });
}

export function earliestOf<T extends Lineage>(generations: readonly T[]): T | undefined {
  return generations.reduce<T | undefined>(
    (best, next) => (best === undefined || next.generation < best.generation ? next : best),
    undefined,
  );
}

/** For each generation all that it replaces, also through others that are here. */
function replacements(generations: readonly Lineage[]): Map<string, ReadonlySet<string>> {
  const direct = new Map(generations.map(({ generation, supersedes }) => [generation, supersedes]));
  const reach = (from: string) => {
    const seen = new Set<string>();
    const open = [...(direct.get(from) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(direct.get(next) ?? []));
    }
    return seen;
  };
  return new Map(generations.map(({ generation }) => [generation, reach(generation)]));
}
