/** How workers are started on other machines. */
import { z } from 'zod';
import { strictObject } from '../evals/index.ts';
import { count, must, period, text, texts, truth } from './setting-kinds.ts';

/** It becomes a word of a command line: one that begins with a dash would be taken for an option. */
const hostName = must('a host such as user@host', (error) =>
  z.string({ error }).regex(/^[A-Za-z0-9_[][\w.@:%[\]-]*$/, { error }),
);

const host = must('a host such as user@host, or an object with "host"', (error) =>
  z.union(
    [
      hostName,
      strictObject('a host', {
        host: hostName.describe('The host as ssh knows it'),
        slots: count.optional().describe('Samples at a time on this host'),
        dir: text.optional().describe('The folder in which workers are started there'),
      }),
    ],
    { error },
  ),
);

const common = {
  program: text
    .optional()
    .describe('How the program is started there: read by a shell. Default: npx holdfast'),
  slots: count.optional().describe('Samples at a time in each worker'),
  idleExit: period.optional().describe('Workers end after so long without work. Default: 15m'),
  maxRuntime: period.optional().describe('Workers end after so long, whatever they do. Default: 24h'),
};

const workers = count.optional().describe('How many workers are started. Default: 1');

const ssh = strictObject('a launch by ssh', {
  kind: z.literal('ssh').describe('A worker on each of a list of hosts'),
  ...common,
  hosts: must('a list of at least one host', (error) => z.array(host, { error }).min(1, { error })).describe(
    'A worker is started on each',
  ),
  options: texts.optional().describe('Options of the ssh program, such as -p and 2222'),
  dir: text.optional().describe('The folder in which workers are started. Default: the home folder'),
  envFile: text
    .optional()
    .describe('A file of mode 0600 on each host that holds the keys, as lines NAME=value'),
  copyEnv: truth
    .optional()
    .describe('Send the keys that are needed to each host, into a file that goes with the worker'),
  graceSeconds: count
    .optional()
    .describe('How long workers may take to end before they are killed. Default: 15'),
});

const command = strictObject('a launch by command', {
  kind: z.literal('command').describe('Commands of your own'),
  ...common,
  workers,
  start: text.describe('Starts the workers: a shell command with {command}, {label}, {workers}, {run}'),
  stop: text.describe('Stops them: a shell command with {label}, {workers}, {run}; it may be run twice'),
});

const kubernetes = strictObject('a launch by kubernetes', {
  kind: z.literal('kubernetes').describe('A Job of a Kubernetes cluster'),
  ...common,
  workers,
  manifest: text.describe('The manifest of the Job, with {command}, {label}, {workers}, {run} in it'),
  options: texts.optional().describe('Options of kubectl, such as those for the context and the namespace'),
});

const slurm = strictObject('a launch by slurm', {
  kind: z.literal('slurm').describe('An array of jobs of a Slurm cluster'),
  ...common,
  workers,
  script: text.describe('The batch script, with {command}, {label}, {workers}, {run} in it'),
  options: texts.optional().describe('Options of sbatch, such as the one for the partition'),
});

const KINDS = [ssh, command, kubernetes, slurm] as const;

const one = must('a launch, whose "kind" is one of ssh, command, kubernetes, slurm', (error) =>
  z.discriminatedUnion('kind', KINDS, { error }),
);

export const launch = must('an object of names and launches', (error) =>
  z.record(z.string(), one, { error }),
);

/** One entry of `launch`. */
export type LaunchConfig = Readonly<z.input<typeof one>>;
