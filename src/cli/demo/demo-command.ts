import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import process from 'node:process';
import {
  type JsonObject,
  packageFile,
  packageVersion,
  parseJson,
  shortId,
  systemClock,
  systemRandom,
  UsageError,
} from '../../base/index.ts';
import { type Disk, nodeDisk, replaceFile } from '../../disk/index.ts';
import { StateDir } from '../../journal/index.ts';
import { directoryLogStore } from '../../log/index.ts';
import { quoteWord } from '../../process/index.ts';
import type { CommandCall } from '../command.ts';
import type { DemoFlags } from '../commands/demo.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { starterPackage } from '../init/starter.ts';
import { listLogs, listUnfinished } from '../logs/list-logs.ts';
import { counted, formatDuration } from '../quantities.ts';
import type { Terminal } from '../terminal.ts';

const EVAL_FILE = 'sums.eval.ts';
const LOG_DIR = 'logs';
const RUN = ['run', EVAL_FILE, '--no-publish', '--model', 'mock/student', '--log-dir', LOG_DIR];
const KILL_AT_SHARE = 0.5;
const POLL_MS = 100;
const SHOW_CURSOR = '\u001b[?25h';

/** The main job on embedded defaults: run, SIGKILL, run again, account. */
export async function demoCommand({ flags, terminal }: CommandCall<DemoFlags>): Promise<ExitCode> {
  const dir = resolve(
    terminal.cwd,
    flags.dir ?? join(tmpdir(), `holdfast-demo-${shortId(systemRandom).slice(0, 8)}`),
  );
  await prepareFolder(nodeDisk, dir);
  const demo = new Demo(dir, terminal, flags.json === true);
  return demo.run();
}

/** The eval is copied: Node does not run TypeScript out of an installed package, and a copy is there to be changed. */
async function prepareFolder(disk: Disk, dir: string): Promise<void> {
  if (((await disk.list(dir)) ?? []).length > 0) {
    throw new UsageError({
      code: 'E_DEMO_DIR',
      message: `${dir} is not empty.`,
      hint: 'Name a new folder with --dir.',
    });
  }
  const example = packageFile(`examples/${EVAL_FILE}`);
  const text = await disk.read(example);
  if (!text) throw new Error(`The example ${example} is missing`);
  await disk.makeDir(dir);
  await replaceFile(disk, join(dir, EVAL_FILE), text);
  const about = starterPackage(dir, packageVersion());
  await replaceFile(disk, join(dir, about.name), Buffer.from(about.text));
}

class Demo {
  readonly #dir: string;
  readonly #terminal: Terminal;
  readonly #isJson: boolean;

  constructor(dir: string, terminal: Terminal, isJson: boolean) {
    this.#dir = dir;
    this.#terminal = terminal;
    this.#isJson = isJson;
  }

  async run(): Promise<ExitCode> {
    const startedMs = systemClock.monotonicMs();
    this.#say('A run of 200 samples on a scripted model, offline. It is killed halfway, and run again.');
    this.#step('1. Run it');
    const killed = await this.#runAndKill();
    this.#step(`2. ${this.#terminal.noteStyle.bad('kill -9')}: ${describeKill(killed)}`);
    this.#step('3. Run the same command again');
    const { code: runCode, output } = await this.#runToEnd();
    const code = (await this.#isComplete(killed.planned)) ? runCode : EXIT.failed;
    const elapsedMs = systemClock.monotonicMs() - startedMs;
    if (this.#isJson)
      this.#terminal.json({ dir: this.#dir, killed, elapsedMs: Math.round(elapsedMs), ...reportOf(output) });
    else this.#conclude(code, elapsedMs);
    return code;
  }

  /** Kills with a signal that no process can catch, when half of the samples are in the journal. */
  async #runAndKill(): Promise<{ readonly completed: number; readonly planned: number }> {
    const { child, ended } = this.#start(RUN, this.#isJson ? 'ignore' : 'inherit');
    let seen = { completed: 0, planned: 0 };
    using _ = systemClock.every(POLL_MS, () => {
      this.#progress().then(
        (now) => {
          seen = now;
          if (now.planned > 0 && now.completed >= now.planned * KILL_AT_SHARE) child.kill('SIGKILL');
        },
        () => undefined, // The journal is not there yet, or gone again: the next look will tell.
      );
    });
    try {
      await ended;
    } finally {
      // The run hid the cursor, and had no chance to show it again.
      if (this.#terminal.isLive) process.stderr.write(`${SHOW_CURSOR}\n`);
    }
    return seen;
  }

  async #progress(): Promise<{ readonly completed: number; readonly planned: number }> {
    const [run] = await listUnfinished(nodeDisk, StateDir.of(join(this.#dir, LOG_DIR)));
    return { completed: run?.completed ?? 0, planned: run?.samples ?? 0 };
  }

  /** Asks the log itself, not the run, whether every sample is there. */
  async #isComplete(planned: number): Promise<boolean> {
    const logs = await listLogs(directoryLogStore(nodeDisk, join(this.#dir, LOG_DIR)));
    return logs.length === 1 && logs[0]?.status === 'success' && logs[0].completed === planned;
  }

  async #runToEnd(): Promise<{ readonly code: ExitCode; readonly output: string }> {
    const args = this.#isJson ? [...RUN, '--json', '--quiet'] : RUN;
    const { child, ended } = this.#start(args, this.#isJson ? ['ignore', 'pipe', 'inherit'] : 'inherit');
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const code = await ended;
    return { code: code === 0 ? EXIT.ok : EXIT.failed, output };
  }

  #start(
    args: readonly string[],
    stdio: StdioOptions,
  ): { child: ChildProcess; ended: Promise<number | null> } {
    const program = packageFile('bin/holdfast.js');
    const child = spawn(process.execPath, [program, ...args], { cwd: this.#dir, stdio });
    const ended = new Promise<number | null>((resolveEnd, reject) => {
      child.once('error', reject);
      child.once('close', resolveEnd);
    });
    return { child, ended };
  }

  #conclude(code: ExitCode, elapsedMs: number): void {
    const { style, cwd } = this.#terminal;
    this.#terminal.line();
    this.#terminal.line(
      code === EXIT.ok
        ? `${style.good('Nothing was lost')}, in ${formatDuration(elapsedMs)}. The eval and its log are in ${this.#dir}`
        : style.bad(`Something is missing; everything that was stored is in ${this.#dir}`),
    );
    const short = relative(cwd, this.#dir);
    const logs = join(short.startsWith('..') ? this.#dir : short, LOG_DIR);
    this.#terminal.line(`Look at it: ${style.bold(`holdfast log list ${quoteWord(logs)}`)}`);
  }

  #say(text: string): void {
    if (!this.#isJson) this.#terminal.note(text);
  }

  #step(text: string): void {
    this.#say(`\n${this.#terminal.noteStyle.bold(text)}`);
  }
}

function describeKill({
  completed,
  planned,
}: {
  readonly completed: number;
  readonly planned: number;
}): string {
  return `the process is gone; ${counted(completed, 'sample')} of ${planned} were completed`;
}

/** What the second run said, as far as the demo's own report needs it. */
function reportOf(output: string): JsonObject {
  const report = parseJson(output) as JsonObject;
  return { exitCode: report.exitCode, runs: report.runs, total: report.total };
}
