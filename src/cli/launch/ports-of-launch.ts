import { tmpdir } from 'node:os';
import { systemClock, systemRandom } from '../../base/index.ts';
import { nodeDisk, whoAmI } from '../../disk/index.ts';
import type { LaunchPorts } from '../../launch/index.ts';
import type { StopSignals } from '../../runner/index.ts';
import type { Terminal } from '../terminal.ts';

/** What starting and stopping workers needs: the first Ctrl-C ends the start, the second gives up the stop. */
export function portsOfLaunch({ env, cwd, note }: Terminal, { drain, abort }: StopSignals): LaunchPorts {
  return {
    ...{ disk: nodeDisk, clock: systemClock, random: systemRandom, env, cwd, tempDir: tmpdir() },
    by: `${env.USER ?? env.USERNAME ?? 'somebody'}@${whoAmI().host}`,
    signal: drain,
    abandon: abort,
    onProblem: ({ message, hint }) => note(`${message}\n  ${hint}`),
  };
}
