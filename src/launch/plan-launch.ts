import { resolve } from 'node:path';
import { definedOf, messageOf } from '../base/index.ts';
import type { LaunchConfig } from '../config/index.ts';
import type { Disk } from '../disk/index.ts';
import { quoteWord } from '../process/index.ts';
import type { NamedLaunch } from './choose-launch.ts';
import { envText } from './env-text.ts';
import { fillTemplate } from './fill-template.ts';
import { launchErrors } from './launch-errors.ts';
import { labelOf } from './launch-keys.ts';
import type { LaunchRecord, Step } from './launch-records.ts';
import { COPIED_ENV, hostPath, startScript, stopScript } from './ssh-scripts.ts';

/** What is to be launched. */
export interface LaunchAsked {
  readonly run: string;
  readonly launch: NamedLaunch;
  /** The words of a worker's command line behind the program: `worker --queue … --bucket …`. */
  readonly argv: readonly string[];
  readonly workers?: number | undefined;
  /** The keys and passwords that workers need: seen by none but them. */
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

/** How to start workers and how to stop them: pure data. */
export interface LaunchPlan {
  readonly about: Pick<LaunchRecord, 'name' | 'kind' | 'label' | 'workers' | 'hosts' | 'stop'>;
  readonly start: readonly Step[];
}

const PROGRAM = 'npx holdfast';
const IDLE_EXIT = '15m';
const MAX_RUNTIME = '24h';
const GRACE_SECONDS = 15;
const CONNECT_SECONDS = 15;

type ConfigOf<Kind extends LaunchConfig['kind']> = Extract<LaunchConfig, { kind: Kind }>;

interface Host {
  readonly host: string;
  readonly slots?: number | undefined;
  readonly dir?: string | undefined;
}

interface Planned extends LaunchAsked {
  readonly label: string;
  /** The manifest or script as it is written, for the kinds that have one. */
  readonly template: string;
}

/** Reads the file that a launch is made from; the empty text for launches that have none. */
export async function readTemplate(
  { config }: NamedLaunch,
  { disk, cwd }: { readonly disk: Disk; readonly cwd: string },
): Promise<string> {
  const path = config.kind === 'kubernetes' ? config.manifest : config.kind === 'slurm' ? config.script : '';
  if (path === '') return '';
  const place = resolve(cwd, path);
  const bytes = await disk.read(place).catch((error: unknown) => {
    throw launchErrors.template(place, messageOf(error), error);
  });
  if (!bytes) throw launchErrors.template(place, 'there is no such file');
  return Buffer.from(bytes).toString('utf8');
}

export function planLaunch(asked: LaunchAsked, n: number, template: string): LaunchPlan {
  const planned = { ...asked, label: labelOf(asked.run, n), template };
  const { config } = asked.launch;
  switch (config.kind) {
    case 'ssh':
      return planSsh(planned, config);
    case 'command':
      return planCommand(planned, config);
    case 'kubernetes':
      return planKubernetes(planned, config);
    case 'slurm':
      return planSlurm(planned, config);
  }
}

function planSsh(planned: Planned, config: ConfigOf<'ssh'>): LaunchPlan {
  const { label, launch, secrets } = planned;
  const all: readonly Host[] = config.hosts.map((host) => (typeof host === 'string' ? { host } : host));
  const count = planned.workers ?? all.length;
  if (count > all.length) throw launchErrors.workers(count, all.length);
  const hosts = all.slice(0, count);
  const options = [
    ...(config.options ?? []),
    '-o',
    'BatchMode=yes',
    '-o',
    `ConnectTimeout=${CONNECT_SECONDS}`,
  ];
  const step = (host: string, stdin: string): Step => ({
    about: `ssh ${host}`,
    argv: ['ssh', ...options, '-T', host, 'sh -s'],
    stdin,
  });
  const isCopied = config.copyEnv === true && secrets !== undefined;
  const envFile = isCopied ? COPIED_ENV : config.envFile && hostPath(config.envFile);
  const copy = isCopied ? envText(secrets) : undefined;
  const start = hosts.map(({ host, slots, dir = config.dir }, index) => {
    const commandLine = commandLineOf(planned, { slots, envFile });
    return step(host, startScript({ label, at: index + 1, commandLine, dir, envText: copy }));
  });
  const grace = config.graceSeconds ?? GRACE_SECONDS;
  const stop = hosts.map(({ host }, index) => step(host, stopScript({ label, at: index + 1 }, grace)));
  const names = hosts.map(({ host }) => host);
  return { about: { name: launch.name, kind: 'ssh', label, workers: count, hosts: names, stop }, start };
}

function planCommand(planned: Planned, config: ConfigOf<'command'>): LaunchPlan {
  const words = wordsOf(planned);
  const step = (about: string, text: string): Step => ({
    about: `the ${about} command of ${planned.launch.name}`,
    argv: [fillTemplate(text, words)],
    isShell: true,
  });
  return planOf(planned, { start: step('start', config.start), stop: step('stop', config.stop) });
}

function planKubernetes(planned: Planned, config: ConfigOf<'kubernetes'>): LaunchPlan {
  const { label } = planned;
  const manifest = fillTemplate(planned.template, wordsOf(planned));
  if (!new RegExp(`holdfast-run["']?\\s*:\\s*["']?${label}\\b`).test(manifest))
    throw launchErrors.template(
      config.manifest,
      'its Job has no label "holdfast-run: {label}", by which it is stopped',
    );
  const kubectl = ['kubectl', ...(config.options ?? [])];
  const start = { about: 'kubectl apply', argv: [...kubectl, 'apply', '-f', '-'], stdin: manifest };
  const selected = ['delete', 'job', '-l', `holdfast-run=${label}`, '--ignore-not-found'];
  return planOf(planned, { start, stop: { about: 'kubectl delete', argv: [...kubectl, ...selected] } });
}

function planSlurm(planned: Planned, config: ConfigOf<'slurm'>): LaunchPlan {
  const script = fillTemplate(planned.template, wordsOf(planned));
  if (!script.startsWith('#!')) throw launchErrors.template(config.script, 'a batch script begins with "#!"');
  // The name is what it is stopped by: it does not depend on the script.
  const argv = ['sbatch', ...(config.options ?? []), `--job-name=${planned.label}`];
  const stop = { about: 'scancel', argv: ['scancel', `--name=${planned.label}`] };
  return planOf(planned, { start: { about: 'sbatch', argv, stdin: script }, stop });
}

function planOf(
  planned: Planned,
  { start, stop }: { readonly start: Step; readonly stop: Step },
): LaunchPlan {
  const { label, launch } = planned;
  const { name, config } = launch;
  return {
    about: { name, kind: config.kind, label, workers: workersOf(planned), stop: [stop] },
    start: [start],
  };
}

function workersOf({ workers, launch: { config } }: Planned): number {
  return workers ?? (config.kind === 'ssh' ? config.hosts.length : (config.workers ?? 1));
}

function wordsOf(planned: Planned) {
  const { label, run } = planned;
  return { label, run, workers: String(workersOf(planned)), command: commandLineOf(planned, {}) };
}

/** The command line of one worker, as a shell reads it. */
function commandLineOf(
  { launch: { config }, argv, label, run }: Planned,
  {
    slots = config.slots,
    envFile,
  }: { readonly slots?: number | undefined; readonly envFile?: string | undefined },
): string {
  const own = definedOf({
    '--label': label,
    '--launched-for': run,
    '--idle-exit': String(config.idleExit ?? IDLE_EXIT),
    '--max-runtime': String(config.maxRuntime ?? MAX_RUNTIME),
    '--slots': slots === undefined ? undefined : String(slots),
  });
  const words = [...argv, ...Object.entries(own).flat()];
  for (const word of words) if (/[\n\r\0]/.test(word)) throw launchErrors.word(word);
  const quoted = [config.program ?? PROGRAM, ...words.map(quoteWord)];
  return [...quoted, ...(envFile === undefined ? [] : ['--keys-file', envFile])].join(' ');
}
