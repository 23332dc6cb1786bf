import { basename, isAbsolute, join } from 'node:path';
import { ActionableError, isoTime, type JsonObject, toJson, UsageError } from '../base/index.ts';
import { type Disk, safeJoin } from '../disk/index.ts';
import { type CommandTarget, placeholdersIn, type SampleRow } from '../evals/index.ts';
import {
  exitCodeOf,
  type ProcessEnd,
  type ProcessText,
  quoteWord,
  readProcessText,
  readTail,
  runProcess,
} from '../process/index.ts';
import { BudgetExhausted } from './budget.ts';
import { plainOutput, userMessage } from './chat-messages.ts';
import { type AgentReport, type CommandPreset, PRESETS } from './command-preset.ts';
import {
  type AgentProgram,
  digestsOfFiles,
  findProgram,
  type ProgramOptions,
  settingsIn,
  versionOf,
} from './command-program.ts';
import { LimitExceeded } from './limit-exceeded.ts';
import { type EventStart, finishEvent, secondsSince, startEvent } from './log-event.ts';
import type { Models } from './models.ts';
import type { Env } from './open-model.ts';
import { type RunnableTarget, resultOf, type TargetResult, type TargetRun } from './runnable-target.ts';
import { checkTemplate, fillChecked, inputText, isSamplePlaceholder, sampleValue } from './template.ts';
import { digestOfTree } from './tree-digest.ts';
import { NO_USAGE } from './usage.ts';

/** What of an agent's output goes into the log and to the scorers; the whole is in the files beside the workspace. */
export const OUTPUT_BYTES_MAX = 16 * 2 ** 20;
const EVENT_BYTES_MAX = 64 * 2 ** 10;
const STDERR_TAIL_BYTES = 4 * 2 ** 10;
/** Every program needs these; whatever else an agent may see is named. */
const ENV_ALWAYS = ['PATH', 'HOME', 'LANG', 'TMPDIR'];

export interface CommandTargetOptions {
  readonly models: Models;
  readonly disk: Disk;
  readonly baseDir: string;
}

/** Checks a command-line agent and makes it ready. */
export async function commandTarget(
  spec: CommandTarget,
  options: CommandTargetOptions,
): Promise<RunnableTarget> {
  const agent = await prepare(spec, options);
  const { template, usesStdin } = agent;
  return {
    kind: 'command',
    name: agent.name,
    key: {
      kind: 'command',
      // As the user wrote it: where the project lies does not matter.
      argv: toJson(agent.given),
      preset: spec.preset ?? null,
      promptVia: usesStdin ? 'stdin' : 'argument',
      workspace: template === undefined ? null : await digestOfTree(options.disk, template),
      env: toJson(agent.envNames),
      outputFile: spec.outputFile ?? null,
      ...(await programKey(agent)),
    },
    startsOver: true,
    run: (sample, run) => runCommandTarget(agent, sample, run),
  };
}

/** What tells whether the program and what it is told by the environment are still the same. */
async function programKey(agent: Agent): Promise<JsonObject> {
  const { disk, given, program, models, envNames, preset } = agent;
  const files = await digestsOfFiles(given, { program, disk });
  const settings = settingsIn(models.env, envNames);
  return {
    ...(files.length > 0 && { files }),
    ...(Object.keys(settings).length > 0 && { settings }),
    ...(preset && program.isShared && { version: await versionOf(program.command, programOptions(agent)) }),
  };
}

function programOptions(
  about: Pick<Agent, 'disk' | 'baseDir' | 'template' | 'models' | 'envNames'>,
): ProgramOptions {
  const { disk, baseDir, template, models, envNames } = about;
  return { disk, baseDir, template, env: environment(models.env, [...ENV_ALWAYS, ...envNames]) };
}

interface Agent extends CommandTargetOptions {
  readonly name: string;
  /** The argument vector as the user wrote it. */
  readonly given: readonly string[];
  /** As it is run. */
  readonly argv: readonly string[];
  readonly program: AgentProgram;
  readonly preset: CommandPreset | undefined;
  readonly usesStdin: boolean;
  readonly template: string | undefined;
  readonly envNames: readonly string[];
  readonly outputFile: string | undefined;
}

async function prepare(spec: CommandTarget, options: CommandTargetOptions): Promise<Agent> {
  const preset = spec.preset === undefined ? undefined : PRESETS[spec.preset];
  const given = spec.command ?? preset?.command ?? [];
  const [command = ''] = given;
  if (command === '') throw noCommand();
  for (const argument of given) checkTemplate(argument, isCommandPlaceholder);
  const hasInput = given.some((argument) => placeholdersIn(argument).includes('input'));
  if (spec.promptVia === 'argument' && !hasInput) throw noPromptArgument(given);
  const template = spec.workspace === undefined ? undefined : absolute(spec.workspace, options.baseDir);
  if (template !== undefined) await checkTemplateFolder(options.disk, template);
  const envNames = [...new Set([...(preset?.env ?? []), ...(spec.env ?? [])])];
  const program = await findProgram(command, programOptions({ ...options, template, envNames }));
  for (const name of envNames) options.models.addSecret(options.models.env[name]);
  return {
    ...options,
    name: `command/${basename(command)}`,
    given,
    argv: [program.command, ...given.slice(1)],
    program,
    preset,
    usesStdin: spec.promptVia === undefined ? !hasInput : spec.promptVia === 'stdin',
    template,
    envNames,
    outputFile: spec.outputFile,
  };
}

async function runCommandTarget(agent: Agent, sample: SampleRow, run: TargetRun): Promise<TargetResult> {
  const { scope, workspace } = run;
  const { disk, models } = agent;
  const cwd = await workspace.open(agent.template);
  const files = await workspace.outputFiles('agent');
  const prompt = inputText(sample.input);
  if (agent.usesStdin) await writeFile(disk, files.stdin, prompt);
  const argv = agent.argv.map((argument) =>
    fillChecked(argument, (name) => (name === 'workspace' ? cwd : sampleValue(sample, name))),
  );
  const process: AgentProcess = { argv, cwd, files, prompt, start: startEvent(scope) };
  const { stdin, ...outputs } = files;
  const { meter, clock, random, artifacts } = scope;
  const pass = await meter.whileWaiting(() => models.limiter.enter(agent.name, meter.signal));
  try {
    if (models.budget.isExhausted()) throw new BudgetExhausted(models.budget);
    const end = await meter.whileWorking(() =>
      runProcess({
        ...{ argv, cwd, disk, clock, random, signal: meter.signal, sweep: true },
        env: { ...environment(models.env, [...ENV_ALWAYS, ...agent.envNames]), ...artifacts.env },
        files: agent.usesStdin ? { ...outputs, stdin } : outputs,
      }),
    );
    return await finish(agent, { sample, run, process, end });
  } finally {
    pass.leave();
  }
}

interface AgentProcess {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly files: { readonly stdout: string; readonly stderr: string };
  readonly prompt: string;
  readonly start: EventStart;
}

async function finish(
  agent: Agent,
  about: {
    readonly sample: SampleRow;
    readonly run: TargetRun;
    readonly process: AgentProcess;
    readonly end: ProcessEnd;
  },
): Promise<TargetResult> {
  const { disk, models } = agent;
  const { sample, run, process, end } = about;
  const { scope } = run;
  const stdout = await readProcessText(disk, process.files.stdout, OUTPUT_BYTES_MAX);
  await emitEnd(agent, { run, process, end, stdout });
  if (end.aborted) {
    // What an agent that was stopped has spent, nobody knows; but it has often said something worth scoring.
    count(agent, undefined, run);
    const said = plainOutput(agent.name, models.redact(stdout.text), scope.salt);
    scope.conversation.exchange([userMessage(process.prompt, scope.salt)], said);
    throw scope.meter.signal.reason;
  }
  let report: AgentReport | undefined;
  let output: string;
  try {
    report = await readReport(agent, process, end);
    if (end.exitCode !== 0) throw await failed(agent, process, end);
    if (report?.failure) throw report.failure;
    output = models.redact(await outputText(agent, { sample, process, stdout, report }));
  } catch (error) {
    countFailed(agent, report, run);
    throw error;
  }
  const said = {
    ...plainOutput(agent.name, output, scope.salt),
    ...(report?.usage && { usage: report.usage }),
  };
  scope.conversation.exchange([userMessage(process.prompt, scope.salt)], said);
  count(agent, report, run);
  return resultOf({ target: agent.name, sample, output, scope, redaction: models.redaction });
}

/** What an agent that we know says about itself. Of one that failed only a bill counts: its tokens may not be all. */
async function readReport(
  { preset, disk }: Agent,
  { files }: AgentProcess,
  { exitCode }: ProcessEnd,
): Promise<AgentReport | undefined> {
  try {
    const report = await preset?.read(disk, files.stdout);
    return exitCode === 0 || report?.costUsd !== undefined ? report : undefined;
  } catch (error) {
    if (exitCode === 0 || !(error instanceof ActionableError)) throw error;
    return undefined;
  }
}

async function outputText(
  { disk, outputFile }: Agent,
  about: {
    readonly sample: SampleRow;
    readonly process: AgentProcess;
    readonly stdout: ProcessText;
    readonly report: AgentReport | undefined;
  },
): Promise<string> {
  const { sample, process, stdout, report } = about;
  if (outputFile === undefined) return report?.text ?? stdout.text;
  const path = safeJoin(process.cwd, outputFile);
  if ((await disk.stat(path))?.kind === 'file') {
    return (await readProcessText(disk, path, OUTPUT_BYTES_MAX)).text;
  }
  throw new ActionableError({
    code: 'E_TARGET_NO_OUTPUT',
    message: `The agent ended well but left no file ${outputFile} in the workspace of sample ${JSON.stringify(sample.id)}.`,
    hint: 'Tell the agent to write its answer there, or leave out `outputFile` to take its stdout.',
  });
}

/** The agent paid for its calls itself: we count what it reports, and the budget sees it only now. */
function count({ models, name }: Agent, report: AgentReport | undefined, { scope }: TargetRun): void {
  const { usage, costUsd } = report ?? {};
  const knownUsd = costUsd ?? models.prices.costOf(name, usage);
  models.budget.spend(knownUsd);
  scope.meter.countReported({ model: name, usage: usage ?? NO_USAGE, costUsd: knownUsd, isReplayed: false });
}

/** Whatever came of it, it is paid for. That it went beyond a limit is not why it failed. */
function countFailed(agent: Agent, report: AgentReport | undefined, run: TargetRun): void {
  try {
    count(agent, report, run);
  } catch (error) {
    if (!(error instanceof LimitExceeded)) throw error;
  }
}

async function emitEnd(
  agent: Agent,
  about: {
    readonly run: TargetRun;
    readonly process: AgentProcess;
    readonly end: ProcessEnd;
    readonly stdout: ProcessText;
  },
): Promise<void> {
  const { run, process, end, stdout } = about;
  const { models, disk } = agent;
  const excerpt = await readProcessText(disk, process.files.stdout, EVENT_BYTES_MAX);
  const stderr = await readProcessText(disk, process.files.stderr, EVENT_BYTES_MAX);
  const holdfast = endFacts(process, { end, stdout, stderr, redact: models.redact });
  run.scope.recorder.emit(
    finishEvent(run.scope, process.start, {
      event: 'sandbox',
      action: 'exec',
      cmd: models.redact(process.argv.map(quoteWord).join(' ')),
      ...(agent.usesStdin && { input: process.prompt }),
      options: { cwd: 'workspace' },
      result: exitCodeOf(end),
      output: models.redact(excerpt.text),
      completed: isoTime(run.scope.clock.nowMs()),
      metadata: { holdfast, working_time: secondsSince(run.scope, process.start) },
    }),
  );
}

/** How it ended, and where all that it wrote is. */
function endFacts(
  { argv, files }: AgentProcess,
  about: {
    readonly end: ProcessEnd;
    readonly stdout: ProcessText;
    readonly stderr: ProcessText;
    readonly redact: (text: string) => string;
  },
): JsonObject {
  const { end, stdout, stderr, redact } = about;
  return {
    argv: argv.map(redact),
    exit_code: end.exitCode,
    signal: end.signal,
    killed_processes: end.killed,
    stdout: { file: basename(files.stdout), bytes: stdout.sizeBytes, invalid_utf8: stdout.wasRepaired },
    stderr: { file: basename(files.stderr), bytes: stderr.sizeBytes, text: redact(stderr.text) },
  };
}

async function failed(agent: Agent, process: AgentProcess, end: ProcessEnd): Promise<ActionableError> {
  const tail = agent.models.redact(await readTail(agent.disk, process.files.stderr, STDERR_TAIL_BYTES));
  const how = end.exitCode === null ? `was ended by ${end.signal}` : `ended with exit code ${end.exitCode}`;
  return new ActionableError({
    code: 'E_COMMAND_FAILED',
    message: `The agent "${process.argv[0]}" ${how}${tail === '' ? ' and wrote nothing to stderr.' : `: ${tail}`}`,
    hint: `All it wrote is in ${basename(process.files.stdout)} and ${basename(process.files.stderr)} beside its workspace.`,
  });
}

export function environment(env: Env, names: readonly string[]): Env {
  return Object.fromEntries(names.filter((name) => env[name] !== undefined).map((name) => [name, env[name]]));
}

async function writeFile(disk: Disk, path: string, text: string): Promise<void> {
  await using file = await disk.open(path, 'create');
  await file.write(Buffer.from(text), 0);
}

function isCommandPlaceholder(name: string): boolean {
  return name === 'workspace' || isSamplePlaceholder(name);
}

function absolute(path: string, baseDir: string): string {
  return isAbsolute(path) ? path : join(baseDir, path);
}

async function checkTemplateFolder(disk: Disk, path: string): Promise<void> {
  if ((await disk.stat(path))?.kind === 'directory') return;
  throw new UsageError({
    code: 'E_WORKSPACE_MISSING',
    message: `The workspace template ${path} is not a folder.`,
    hint: 'Give `workspace` as a path from the eval file, or leave it out to start in an empty folder.',
  });
}

function noCommand(): UsageError {
  return new UsageError({
    code: 'E_TARGET_UNKNOWN',
    message: 'The command target has neither a command nor a preset.',
    hint: 'Write `command: ["my-agent", "--prompt", "{{input}}"]`, or `preset: "claude"`.',
  });
}

function noPromptArgument(argv: readonly string[]): UsageError {
  return new UsageError({
    code: 'E_TEMPLATE_UNKNOWN',
    message: `The prompt of "${argv[0]}" is to be an argument, but no argument holds {{input}}.`,
    hint: 'Add "{{input}}" to `command`, or leave out `promptVia` to send the prompt on stdin.',
  });
}
