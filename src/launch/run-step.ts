import { join } from 'node:path';
import { messageOf, shortId } from '../base/index.ts';
import { exitCodeOf, type ProcessEnd, readTail, runProcess, streamProcess } from '../process/index.ts';
import type { LaunchPorts } from './launch-ports.ts';
import type { Step } from './launch-records.ts';

export interface StepOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

const TAIL_BYTES = 2_000;

/** Runs a step; undefined when it did what it should, else why not. Rejects with the reason of its signal. */
export async function runStep(
  step: Step,
  ports: LaunchPorts,
  options: StepOptions,
): Promise<string | undefined> {
  options.signal.throwIfAborted();
  try {
    const end = step.isShell ? await runShell(step, ports, options) : await runProgram(step, ports, options);
    options.signal.throwIfAborted();
    return end;
  } catch (error) {
    options.signal.throwIfAborted();
    return messageOf(error);
  }
}

async function runProgram(step: Step, ports: LaunchPorts, options: StepOptions): Promise<string | undefined> {
  const stdin = step.stdin === undefined ? {} : { stdin: Buffer.from(step.stdin) };
  await using started = await streamProcess({ ...ports, ...options, ...stdin, argv: step.argv });
  const said: Uint8Array[] = [];
  for await (const chunk of started.stdout) said.push(chunk);
  const end = await started.end;
  return reasonOf(end, end.stderr || Buffer.concat(said).toString('utf8'), options);
}

/** Its words go to files: what it leaves running may write on when it has ended. */
async function runShell(
  { argv }: Step,
  ports: LaunchPorts,
  options: StepOptions,
): Promise<string | undefined> {
  const { disk, tempDir, random, env } = ports;
  const dir = join(tempDir, `holdfast-launch-${shortId(random)}`);
  await disk.makeDir(dir);
  try {
    const files = { stdout: join(dir, 'stdout'), stderr: join(dir, 'stderr') };
    const end = await runProcess({
      ...ports,
      ...options,
      files,
      // Not as an argument: "pkill -f {label}" would find the shell that runs it.
      argv: ['sh', '-c', 'command=$HOLDFAST_COMMAND; unset HOLDFAST_COMMAND; eval "$command"'],
      env: { ...env, HOLDFAST_COMMAND: argv.join(' ') },
      leavesRunning: true,
    });
    return reasonOf(end, await readTail(disk, files.stderr, TAIL_BYTES), options);
  } finally {
    await disk.removeTree(dir);
  }
}

function reasonOf(end: ProcessEnd, said: string, { timeoutMs }: StepOptions): string | undefined {
  if (end.timedOut) return `it took longer than ${timeoutMs / 1_000} s`;
  const code = exitCodeOf(end);
  if (code === 0) return undefined;
  const words = said.trim().slice(-TAIL_BYTES);
  return words === '' ? `it ended with exit code ${code}` : words;
}
