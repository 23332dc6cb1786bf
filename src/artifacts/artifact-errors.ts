import { ActionableError, asSentence, DamageError, messageOf, UsageError } from '../base/index.ts';
import type { Damage } from './damage.ts';
import { type Unit, unitText } from './recipe.ts';

/** What the builds and the cache say when they cannot go on. */
export const artifactErrors = {
  content: (unit: Unit, problem: string) =>
    new ActionableError({
      code: 'E_ARTIFACT_CONTENT',
      message: `The build of ${unitText(unit)} cannot be kept: ${problem}.`,
      hint: 'Change what the build writes: plain files with relative paths inside, which mean the same on every machine.',
    }),
  build: (unit: Unit, cause: unknown) =>
    new ActionableError({
      code: 'E_ARTIFACT_BUILD',
      message: `The build of ${unitText(unit)} failed: ${messageOf(cause)}`,
      hint: 'Nothing of it was kept but the answers that were paid for: correct the build, and run again.',
      cause,
    }),
  nested: (unit: Unit, outer: Unit) =>
    new UsageError({
      code: 'E_ARTIFACT_NESTED',
      message: `${unitText(unit)} is asked for inside the build of ${unitText(outer)}, which does not name it among its inputs.`,
      hint: `Name ${unitText(unit)} in the inputs of ${unitText(outer)}; an artifact cannot need itself, not by way of others either.`,
    }),
  cacheDenied: (cacheDir: string, cause: unknown) =>
    new ActionableError({
      code: 'E_ARTIFACT_CACHE_DENIED',
      message: `The warm cache ${cacheDir} cannot be written by this user, or lies on a disk that is read-only.`,
      hint: 'Change its permissions, or name another folder: --cache, or the setting artifacts.cache. What is in it can be merged into the other one.',
      cause,
    }),
  damaged: (damage: Damage) => (damage.isNewer ? newer(damage) : damagedError(damage)),
};

/** It may be whole, and is no damage: whoever updates can use it. */
function newer(damage: Damage): ActionableError {
  return new ActionableError({
    code: 'E_ARTIFACT_NEWER',
    message: `Generation ${damage.generation} of ${unitText(damage)} was written by a newer version of Holdfast, and earlier ones are not used in its place: it lies in ${damage.place}.`,
    hint: `Update Holdfast here. Or have it built anew by this version: "holdfast artifacts build <eval files> --rebuild ${unitText(damage)}".`,
  });
}

function damagedError(damage: Damage): DamageError {
  return new DamageError({
    code: 'E_ARTIFACT_DAMAGED',
    message: `Generation ${damage.generation} of ${unitText(damage)} is damaged: ${asSentence(damage.reason)} It is not used, and lies in ${damage.place}.`,
    hint: `Take a whole copy from where there is one ("holdfast artifacts pull", or "merge <cache or bucket>"), or have it built anew: "holdfast artifacts build <eval files> --rebuild ${unitText(damage)}". Nobody does that by itself.`,
  });
}

/** Denials, and locks whose file cannot be made. */
const DENIALS: ReadonlySet<string> = new Set(['E_DISK_DENIED', 'E_LOCK_UNUSABLE']);

/** Writes to a cache; says of the whole of it when that is denied, which a path of ours inside it would not explain to anybody. */
export async function writingTo<T>(cacheDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // A source, too, may deny something, and that is said as it is.
    const isDenied =
      error instanceof ActionableError && DENIALS.has(error.code) && error.message.includes(cacheDir);
    throw isDenied ? artifactErrors.cacheDenied(cacheDir, error) : error;
  }
}
