import { Option } from 'commander';

/** What the options of `publishOptions` give. */
export interface PublishFlags {
  /** Undefined: nobody said anything, so that runs are published where results have been begun. */
  readonly publish?: boolean;
  readonly requirePush?: true;
}

/** For the commands that make finished logs. */
export function publishOptions(): readonly Option[] {
  return [
    new Option(
      '--publish',
      'publish what is finished: keep it in git, as is usual after "holdfast results init"',
    ),
    new Option('--no-publish', 'publish nothing'),
    new Option(
      '--require-push',
      'publish and push, and fail unless the remote has the run: for machines that are thrown away',
    ),
  ];
}
