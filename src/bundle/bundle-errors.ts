import { ActionableError, DamageError, packagePage, UsageError } from '../base/index.ts';

const GUIDE = packagePage('guide/bundle.md');

const SEND_AGAIN =
  'Nothing was used of it. Remove it, and submit the run again from where its code is: what is missing is sent again.';

/** One thing that a worker has otherwise than the bundle says. */
export interface Difference {
  /** `Node`, `the image`, or the name of a program. */
  readonly what: string;
  readonly here: string;
  readonly there: string;
}

export const bundleErrors = {
  git: (dir: string, cause: unknown) =>
    new ActionableError({
      code: 'E_BUNDLE_GIT',
      message: `There is a repository around ${dir}, but git cannot read it, so nobody can tell what the code is.`,
      hint: 'Run "git status" there to see what is wrong with it.',
      cause,
    }),
  file: (path: string, problem: string, hint: string) =>
    new UsageError({
      code: 'E_BUNDLE_FILE',
      message: `${JSON.stringify(path)} cannot be in a bundle: ${problem}.`,
      hint,
    }),
  empty: (what: string) =>
    new UsageError({
      code: 'E_BUNDLE_EMPTY',
      message: `There is no code to be sent to workers: ${what}.`,
      hint: `Add the files to git, or list them as "bundle.files" in holdfast.config; ${GUIDE} says how.`,
    }),
  secret: (path: string, what: string) =>
    new UsageError({
      code: 'E_BUNDLE_SECRET',
      message: `${JSON.stringify(path)} ${what}, and would be sent to the bucket with the code.`,
      hint: 'Take it out of git and let workers have secrets in their own environment; or, if there is none in it, name exactly this file in "bundle.data" of holdfast.config.',
    }),
  pattern: (key: 'files' | 'data', pattern: string, problem: string) =>
    new UsageError({
      code: 'E_BUNDLE_PATTERN',
      message: `"${pattern}" of "bundle.${key}" ${problem}.`,
      hint: 'Correct it in holdfast.config; patterns start at the folder of that file.',
    }),
  program: (name: string, problem: string) =>
    new ActionableError({
      code: 'E_BUNDLE_PROGRAM',
      message: `The version of the program "${name}" cannot be told: ${problem}.`,
      hint: 'Install it, or give the command that says its version in "bundle.programs" of holdfast.config.',
    }),
  changed: (path: string) =>
    new ActionableError({
      code: 'E_BUNDLE_CHANGED',
      message: `${path} changed while the bundle was made.`,
      hint: 'Run the same command again when nothing writes to it.',
    }),
  differs: (digest: string, differences: readonly Difference[]) =>
    new ActionableError({
      code: 'E_BUNDLE_DIFFERS',
      message: `This machine is not what the bundle ${digest.slice(0, 12)} was made for: ${differences
        .map(({ what, here, there }) => `${what} is ${here} here and ${there} there`)
        .join('; ')}.`,
      hint: 'Start the worker with the same versions and image, or submit the run again from a machine that is like the workers.',
    }),
  damaged: (where: string, problem: string, hint = SEND_AGAIN) =>
    new DamageError({ code: 'E_BUNDLE_DAMAGED', message: `${where} is damaged: ${problem}.`, hint }),
  newer: (where: string, version: number) =>
    new ActionableError({
      code: 'E_BUNDLE_NEWER',
      message: `${where} is of version ${version} of the format, which this version of Holdfast does not know.`,
      hint: 'Update Holdfast on this machine.',
    }),
  missing: (where: string, what: string) =>
    new ActionableError({
      code: 'E_BUNDLE_MISSING',
      message: `${what} is not in ${where}.`,
      hint: 'Check the bucket; submitting the run again from where its code is sends it again.',
    }),
  packages: (command: string, end: string) =>
    new ActionableError({
      code: 'E_BUNDLE_PACKAGES',
      message: `The packages of the bundle could not be installed: "${command}" ${end}`,
      hint: 'See what it said; the same command must succeed in a fresh clone of the project.',
    }),
  lock: (lock: string, reason: string) =>
    new UsageError({
      code: 'E_BUNDLE_LOCK',
      message: `No worker could install the packages of ${lock}: npm ci says ${JSON.stringify(reason)}.`,
      hint: 'Run "npm install", see that "npm ci" succeeds in a fresh clone, and commit the lock file.',
    }),
  noInstaller: (program: string, lock: string) =>
    new ActionableError({
      code: 'E_BUNDLE_PACKAGES',
      message: `The packages of the bundle could not be installed: ${lock} is of ${program}, which is not here.`,
      hint: `Install it for this worker: npm install -g ${program}, or "corepack enable" where Node comes with that.`,
    }),
};
