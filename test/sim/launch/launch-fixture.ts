/** What tests of launches need: a ledger that stand-ins for workers write, the ports of this machine, and a look at its processes. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { newRunId, systemClock, systemRandom } from '../../../src/base/index.ts';
import { directoryBucket } from '../../../src/bucket/index.ts';
import { SHARED_PREFIX } from '../../../src/cluster/index.ts';
import type { HoldfastConfig } from '../../../src/config/index.ts';
import { nodeDisk, stateOfProcess } from '../../../src/disk/index.ts';
import type { LaunchPorts, LaunchRequest } from '../../../src/launch/index.ts';

/** Of this file of tests alone: a stop by the label finds no workers of another. */
export const RUN = process.env.HOLDFAST_TEST_RUN ?? newRunId(systemClock.nowMs(), systemRandom);
/** The label of its first launch. */
export const LABEL = `holdfast-${RUN.toLowerCase()}-0001`;
/** Appears nowhere but in the environment of workers, and in a file that only they can read. */
export const SECRET = 'sk-stand-in-0123456789-"quoted"';
const WORKER = join(import.meta.dirname, 'stand-in-worker.mjs');

export interface StandIn {
  readonly pid: number;
  readonly child?: number;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly keyDigest: string;
  readonly envFile?: string;
  readonly envFileMode?: number;
}

export class Ledger {
  readonly dir: string;

  constructor(dir: string) {
    this.dir = join(dir, 'ledger');
    mkdirSync(this.dir, { recursive: true });
  }

  /** How a worker is started: the `program` of a launch. */
  get program(): string {
    return `${process.execPath} ${WORKER} ${this.dir}`;
  }

  get started(): readonly StandIn[] {
    return this.#read('started') as StandIn[];
  }

  get ended(): readonly unknown[] {
    return this.#read('ended');
  }

  /** Waits for so many starts; that there are no more, the test says at its end. */
  async untilStarted(count: number): Promise<readonly StandIn[]> {
    await until(() => this.started.length >= count, `${count} workers to start`);
    return this.started;
  }

  #read(kind: string): unknown[] {
    const names = readdirSync(this.dir).filter((name) => name.endsWith(`.${kind}`));
    return names.sort().map((name) => JSON.parse(readFileSync(join(this.dir, name), 'utf8')) as unknown);
  }
}

export async function until(isSo: () => boolean, what: string): Promise<void> {
  // Processes take seconds to come up where many others run.
  for (const endMs = performance.now() + 120_000; performance.now() < endMs; await sleep(50))
    if (isSo()) return;
  throw new Error(`Waited in vain for ${what}`);
}

export const isRunning = (pid: number) => stateOfProcess(pid).kind === 'running';

/** How often a file has a line: commands under test append one. */
export function linesIn(path: string): readonly string[] {
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
    : [];
}

export function portsIn(dir: string, more: Partial<LaunchPorts> = {}): LaunchPorts {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, STAND_IN_KEY: SECRET };
  const tempDir = join(dir, 'temp');
  mkdirSync(tempDir, { recursive: true });
  return {
    ...{ disk: nodeDisk, clock: systemClock, random: systemRandom, env, cwd: dir, tempDir, by: 'me@here' },
    ...more,
  };
}

export function placeIn(dir: string): LaunchRequest['place'] {
  return { bucket: directoryBucket(nodeDisk, join(dir, 'bucket')), prefix: SHARED_PREFIX };
}

export function requestIn(
  dir: string,
  launches: HoldfastConfig['launch'],
  more: Partial<LaunchRequest> = {},
): LaunchRequest {
  const [wanted = ''] = Object.keys(launches ?? {});
  const argv = ['worker', '--queue', 'redis://queue:6379/0', '--bucket', join(dir, 'bucket')];
  return {
    place: placeIn(dir),
    run: RUN,
    launches,
    wanted,
    argv,
    secrets: { STAND_IN_KEY: SECRET },
    ...more,
  };
}

export const digestOfSecret = createHash('sha256').update(SECRET).digest('hex');

/** All files below a folder whose text has the secret in it. */
export function filesWithSecret(dir: string): readonly string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, 'utf8').includes(SECRET));
}

/** The command lines of all processes of this machine. */
export function commandLines(): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}
