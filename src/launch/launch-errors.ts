import { ActionableError, asSentence, didYouMean, UsageError } from '../base/index.ts';
import { quoteWord } from '../process/index.ts';
import type { LaunchRecord, Step } from './launch-records.ts';

export const launchErrors = {
  none: (name: string) =>
    new UsageError({
      code: 'E_LAUNCH_UNKNOWN',
      message: `"${name}" cannot be launched: the settings of this project name no launch.`,
      hint: 'Name one in holdfast.config, such as launch: { lab: { kind: "ssh", hosts: ["user@host"] } }.',
    }),
  unknown: (name: string, names: readonly string[]) =>
    new UsageError({
      code: 'E_LAUNCH_UNKNOWN',
      message: `"${name}" is no launch of the settings, and there is none of that kind${didYouMean(name, names)}`,
      hint: `Name one of ${names.join(', ')}.`,
    }),
  ambiguous: (kind: string, names: readonly string[]) =>
    new UsageError({
      code: 'E_LAUNCH_UNKNOWN',
      message: `The settings have ${names.length} launches by ${kind}: ${names.join(', ')}.`,
      hint: 'Name the one that is meant.',
    }),
  workers: (asked: number, hosts: number) =>
    new UsageError({
      code: 'E_LAUNCH_WORKERS',
      message: `${asked} workers are asked for, and the launch has ${hosts} hosts.`,
      hint: 'Ask for fewer, or name more hosts; a host works on several samples at a time with "slots".',
    }),
  template: (place: string, why: string, cause?: unknown) =>
    new UsageError({
      code: 'E_LAUNCH_TEMPLATE',
      message: `${place} cannot be used to launch workers: ${why}.`,
      hint: 'Begin with the files in examples/deploy of the package, which have all that is needed.',
      cause,
    }),
  secret: (name: string, where: string) =>
    new UsageError({
      code: 'E_LAUNCH_SECRET',
      message: `Nothing was launched: ${name} would be seen in ${where}.`,
      hint: 'Take it out there: workers get keys and passwords from their own environment, or from a file of mode 0600 (envFile, copyEnv).',
    }),
  env: (name: string, why: string) =>
    new UsageError({
      code: 'E_LAUNCH_ENV',
      message: `The value of ${name} cannot be sent to the hosts: ${why}.`,
      hint: 'Put it into a file of mode 0600 on each host, and name that as "envFile".',
    }),
  keys: (launch: string, names: readonly string[]) =>
    new UsageError({
      code: 'E_LAUNCH_ENV',
      message: `Workers of ${launch} have their keys from here, and ${names.join(' and ')} is not set.`,
      hint: 'Set it, or launch workers that have keys of their own.',
    }),
  word: (word: string) =>
    new UsageError({
      code: 'E_LAUNCH_WORD',
      message: `${JSON.stringify(word)} cannot be a word of a worker's command line: it has a line break or a NUL in it.`,
      hint: 'Name the queue and the bucket without it.',
    }),
  start: (about: string, why: string) =>
    new ActionableError({
      code: 'E_LAUNCH_START',
      message: asSentence(`No worker was started by ${about}: ${why}`),
      hint: 'Try that command by hand, and correct it. Workers that it did start are stopped with the others, or with this launch.',
    }),
  overtaken: ({ label }: LaunchRecord) =>
    new ActionableError({
      code: 'E_LAUNCH_STOPPED',
      message: `The workers ${label} were stopped while they were being started.`,
      hint: 'Somebody cancelled the run, or stopped its workers; resume it to go on.',
    }),
  stop: ({ label }: LaunchRecord, why: string) =>
    new ActionableError({
      code: 'E_LAUNCH_STOP',
      message: asSentence(`The workers ${label} could not all be stopped: ${why}`),
      hint: 'They see in the bucket that they are to end, and end by themselves after idleExit. "holdfast launch stop" tries again.',
      retryable: true,
    }),
  /** Whether they were told in the bucket: then they end all the same, a little later. */
  abandoned: (record: LaunchRecord, bucketUrl: string, isTold: boolean) =>
    new ActionableError({
      code: 'E_LAUNCH_ABANDONED',
      message: isTold
        ? `Nobody waited until the workers ${record.label} were stopped: they see in the bucket that they are to end, and give back what they have. ${record.stop.map(stepText).join('; ')} was not waited for.`
        : `The workers ${record.label} were left running: ${record.stop.map(stepText).join('; ')} was not waited for.`,
      hint: `${isTold ? 'To make sure of it' : 'Stop them with'}: holdfast launch stop ${record.run} --bucket ${quoteWord(bucketUrl)}`,
    }),
  envFileMissing: (path: string) =>
    new UsageError({
      code: 'E_ENV_FILE',
      message: `There is no file ${path}, which is to hold the keys.`,
      hint: 'Make it, with lines NAME=value and mode 0600, or name another.',
    }),
  envFileOpen: (path: string) =>
    new UsageError({
      code: 'E_ENV_FILE',
      message: `${path} holds keys and can be read by others.`,
      hint: `Make it yours alone: chmod 600 ${quoteWord(path)}`,
    }),
};

/** How people see what is run. */
export function stepText({ argv, isShell }: Step): string {
  return isShell ? argv.join(' ') : argv.map(quoteWord).join(' ');
}
