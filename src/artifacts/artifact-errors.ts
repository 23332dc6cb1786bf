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
  damaged: (damage: Damage) =>
    new DamageError({
      code: 'E_ARTIFACT_DAMAGED',
      message: `Generation ${damage.generation} of ${unitText(damage)} is damaged: ${asSentence(damage.reason)} It is not used, and lies in ${damage.place}.`,
      hint: 'Merge or pull a whole copy of it, or have it built anew with "holdfast artifacts build --rebuild": nobody does that by itself.',
    }),
};
