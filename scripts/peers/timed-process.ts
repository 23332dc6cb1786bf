// A program of Node, run to its end on the clock, with nothing of the user's own settings and without a network to ask.

import { execFile } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { processorTimeOf } from './processor-time.ts';

const RUN_MS_MAX = 120_000;
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Where a program runs, and where it keeps what is its own. */
export interface Place {
  readonly cwd: string;
  readonly home: string;
}

export interface Ran {
  readonly ms: number;
  /** With all that it started and waited for; right as long as nothing else is run at the same time. */
  readonly cpuMs: number;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runTimed(args: readonly string[], { cwd, home }: Place): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const cpuBeforeMs = processorTimeOf('self').childrenMs;
    const options = { cwd, env: envOf(home), timeout: RUN_MS_MAX, maxBuffer: OUTPUT_BYTES_MAX };
    const child = execFile(process.execPath, args, options, (error, stdout, stderr) => {
      const { exitCode } = child;
      const cpuMs = () => processorTimeOf('self').childrenMs - cpuBeforeMs;
      if (exitCode === null) reject(new Error(`node ${args.join(' ')} did not end`, { cause: error }));
      else resolve({ ms: performance.now() - from, cpuMs: cpuMs(), exitCode, stdout, stderr });
    });
  });
}

/** The same for both tools, and `node` is the one that runs this. AgentV would ask npm in the background whether there is a newer one. */
export function envOf(home: string): NodeJS.ProcessEnv {
  return {
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: home,
    AGENTV_HOME: join(home, '.agentv'),
    AGENTV_NO_UPDATE_CHECK: '1',
  };
}
