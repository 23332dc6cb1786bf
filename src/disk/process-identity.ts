import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errnoOf, shortId, systemRandom } from '../base/index.ts';

/** Names one process for ever: a pid alone is used again and again. */
export interface ProcessIdentity {
  readonly host: string;
  /** Tells machines of one name apart, where the system has such an id. */
  readonly machineId?: string | undefined;
  /** Different after every start of the machine; undefined where the system does not tell. */
  readonly bootId: string | undefined;
  readonly pid: number;
  /** When the process started, in the system's own terms: compared, never read. */
  readonly processStart: string;
  /** Within which the pid means something; undefined where that cannot be told. */
  readonly pidNamespace: string | undefined;
}

/** What the system says about a pid of this machine and this namespace. */
export type ProcessState =
  | { readonly kind: 'running'; readonly processStart: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'hidden' };

/** Where the system tells no start time, a word of our own at least tells us from those before us. */
const ownWord = shortId(systemRandom);

/** The identity of this process. */
export function whoAmI(): ProcessIdentity {
  const system = SYSTEMS[process.platform];
  const state = stateOfProcess(process.pid);
  return {
    host: hostname(),
    machineId: system?.machineId(),
    bootId: system?.bootId(),
    pid: process.pid,
    processStart: state.kind === 'running' ? state.processStart : ownWord,
    pidNamespace: system?.pidNamespace(),
  };
}

/** Asks the system about a pid. A zombie is gone: it does nothing any more. */
export function stateOfProcess(pid: number): ProcessState {
  // The system calls behind this read 0 and negative numbers as groups of processes.
  if (!Number.isSafeInteger(pid) || pid <= 0) return { kind: 'gone' };
  return SYSTEMS[process.platform]?.stateOfProcess(pid) ?? { kind: 'hidden' };
}

interface System {
  machineId(): string | undefined;
  bootId(): string | undefined;
  pidNamespace(): string | undefined;
  stateOfProcess(pid: number): ProcessState;
}

const linux: System = {
  machineId: () => readTrimmed('/etc/machine-id'),
  bootId: () => readTrimmed('/proc/sys/kernel/random/boot_id'),
  pidNamespace() {
    try {
      return readlinkSync('/proc/self/ns/pid');
    } catch (error) {
      return undefinedWhenUnreadable(error);
    }
  },
  stateOfProcess(pid) {
    const stat = readTrimmed(`/proc/${pid}/stat`);
    return stat === undefined ? goneOrHidden(pid) : parseProcStat(stat);
  },
};

const darwin: System = {
  // Neither is needed: the boot session has an id of its own, and there are no namespaces.
  machineId: () => undefined,
  bootId: () => runQuietly('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid']),
  pidNamespace: () => 'host',
  stateOfProcess(pid) {
    const line = runQuietly('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
    return line === undefined ? goneOrHidden(pid) : parsePsLine(line);
  },
};

const SYSTEMS: { readonly [platform in NodeJS.Platform]?: System } = { linux, darwin };

/** `pid (name) state … starttime …`: the name may hold spaces and brackets, so we count from the last one. */
export function parseProcStat(stat: string): ProcessState {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, processStart] = [fields[0], fields[22 - 3]];
  if (state === 'Z' || state === 'X' || state === 'x') return { kind: 'gone' };
  return processStart === undefined ? { kind: 'hidden' } : { kind: 'running', processStart };
}

/** `Ss   Mon Nov 10 09:14:02 2026`. */
export function parsePsLine(line: string): ProcessState {
  const [state = '', ...start] = line.trim().split(/\s+/);
  if (state.startsWith('Z')) return { kind: 'gone' };
  return start.length === 0 ? { kind: 'hidden' } : { kind: 'running', processStart: start.join(' ') };
}

/** Some systems hide the processes of others (hidepid); a signal that is refused still shows that one is there. */
function goneOrHidden(pid: number): ProcessState {
  try {
    process.kill(pid, 0);
    return { kind: 'hidden' };
  } catch (error) {
    return errnoOf(error) === 'ESRCH' ? { kind: 'gone' } : { kind: 'hidden' };
  }
}

function readTrimmed(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined;
  } catch (error) {
    return undefinedWhenUnreadable(error);
  }
}

/** ESRCH: the process ended while its file was read. */
const UNREADABLE: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ESRCH',
  'EACCES',
  'EPERM',
  'ENOTDIR',
]);

function undefinedWhenUnreadable(error: unknown): undefined {
  if (!UNREADABLE.has(errnoOf(error))) throw error;
  return undefined;
}

/** The start time is compared as text, so zone and language are fixed. */
function runQuietly(file: string, args: readonly string[]): string | undefined {
  try {
    const env = { LC_ALL: 'C', TZ: 'UTC' };
    return (
      execFileSync(file, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim() ||
      undefined
    );
  } catch {
    // `ps` fails for a pid that is gone, and the tool may be missing: the caller asks in another way.
    return undefined;
  }
}
