import process from 'node:process';
import { Command, CommanderError } from 'commander';
import { packageVersion, systemClock, UsageError } from '../base/index.ts';
import { CATALOG, type CatalogEntry, GROUPS } from './catalog.ts';
import { applySpec, type CommandCall, type CommandSpec } from './command.ts';
import type { Settings } from './config/settings.ts';
import { settingsOfOptions, settleFlags } from './config/settle-flags.ts';
import { EXIT, type ExitCode, exitCodeOfShared } from './exit-code.ts';
import { ownStdout } from './own-stdout.ts';
import { concludeWith, endStopped, guardProcessEnd } from './process-end.ts';
import { guardSignals } from './signals.ts';
import { keepHeapSmall } from './small-heap.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** Work that does not heed its signal must not keep the process from ending. */
const LAST_GRACE_MS = 1_000;
/** Commands that can be ended at any moment, and gone on with. */
const RUNS: ReadonlySet<string> = new Set(['run', 'retry']);

/** The command line. Resolves with the exit code; never rejects. */
export async function main(argv: readonly string[]): Promise<number> {
  keepHeapSmall();
  hideExperimentalWarnings();
  const terminal = openTerminal(process);
  const isJson = argv.includes('--json');
  if (isJson) ownStdout(process);
  const [command = ''] = argv.filter((word) => !word.startsWith('-'));
  guardProcessEnd({ terminal, isJson, isRun: RUNS.has(command) });
  guardSignals(argv, endStopped);
  const code = await runCommand(argv, terminal);
  concludeWith(code);
  systemClock.after(LAST_GRACE_MS, () => process.exit(code));
  return code;
}

async function runCommand(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  try {
    const program = await buildProgram(argv, terminal, (code) => {
      exitCode = code;
    });
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Help and version come as such an error, too; no command at all is a wish for help.
    if (error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help'))
      return EXIT.ok;
    const { reportError } = await import('./report-error.ts');
    const reported = error instanceof CommanderError ? await usageError(error, argv) : error;
    return reportError(reported, terminal, {
      json: argv.includes('--json'),
      verbose: argv.includes('--verbose'),
    });
  }
}

async function buildProgram(
  argv: readonly string[],
  terminal: Terminal,
  onExit: (code: ExitCode) => void,
): Promise<Command> {
  const program = new Command('holdfast')
    .description('Runs evaluations of AI agents and models, and never loses a result that was paid for.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .addHelpText('after', PROGRAM_HELP);
  quietly(program, terminal);
  const groups = new Map<string, Command>();
  for (const [name, summary] of Object.entries(GROUPS)) {
    const group = quietly(new Command(name), terminal).summary(summary).description(`${summary}.`);
    groups.set(name, group.helpCommand(false).helpOption('-h, --help', 'show help'));
  }
  for (const entry of CATALOG) {
    const parent = parentOf(entry, groups) ?? program;
    if (parent !== program && !program.commands.includes(parent)) program.addCommand(parent);
    const command = quietly(new Command(entry.words.at(-1)), terminal).summary(entry.summary);
    parent.addCommand(command.helpOption('-h, --help', 'show help'));
    // Others may stand below it: `studio`, and `studio export`.
    if (entry.words.length === 1) groups.set(entry.words[0], command);
    // Not also `studio` for `studio export`: it would take the options that both have.
    if (entry === namedEntry(argv)) await loadInto(command, entry, { argv, terminal, onExit });
  }
  return program;
}

const PROGRAM_HELP = `
Start here:
  holdfast demo                         see a run die and recover, offline
  holdfast init && holdfast run .       a first eval of your own

Exit codes:
  0  ok
  1  an eval fell short, or samples failed or were lost
  2  the command line or an eval file is wrong
  3  damage was found
  4  interrupted; the same command goes on`;

function parentOf(entry: CatalogEntry, groups: ReadonlyMap<string, Command>): Command | undefined {
  return entry.words.length > 1 ? groups.get(entry.words[0]) : undefined;
}

/** The first words that are no options name the command; options never take a command's name as their value here. */
function isNamed(entry: CatalogEntry, argv: readonly string[]): boolean {
  const words = argv.filter((word) => !word.startsWith('-'));
  return entry.words.every((word, index) => words[index] === word);
}

/** The command that is named, by all the words that name it. */
function namedEntry(argv: readonly string[]): CatalogEntry | undefined {
  const named = CATALOG.filter((entry) => isNamed(entry, argv));
  return named.find(({ words }) => words.length > 1) ?? named[0];
}

async function loadInto(
  command: Command,
  entry: CatalogEntry,
  context: {
    readonly argv: readonly string[];
    readonly terminal: Terminal;
    readonly onExit: (code: ExitCode) => void;
  },
): Promise<void> {
  const { command: spec } = await entry.load();
  const { argv, terminal, onExit } = context;
  let loading: Promise<Settings> | undefined;
  const settings = () => {
    // Loaded when it is asked for: help needs none of it.
    loading ??= import('./config/settings.ts').then(({ loadSettings }) => loadSettings(terminal));
    return loading;
  };
  applySpec(command, spec, async (args, flags) => {
    const given = new Set(
      command.options
        .map((option) => option.attributeName())
        .filter((name) => command.getOptionValueSource(name) === 'cli'),
    );
    const isGiven = (option: string) => given.has(option);
    if (settingsOfOptions(command).size > 0) settleFlags(command, await settings());
    const words = argv.slice(entry.words.length);
    const running = spec.run({ args, flags, words, terminal, settings, isGiven });
    onExit(await (spec.isOfShared ? running.catch(endOfShared(spec, { flags, terminal })) : running));
  });
}

function endOfShared(
  { exits }: Pick<CommandSpec, 'exits'>,
  { flags, terminal }: Pick<CommandCall, 'flags' | 'terminal'>,
): (error: unknown) => Promise<ExitCode> {
  return async (error) => {
    const { reportError } = await import('./report-error.ts');
    return reportError(error, terminal, { ...flags, exitCode: exitCodeOfShared(error, exits) });
  };
}

/** Commander throws instead of exiting, and leaves the saying to us. */
function quietly(command: Command, terminal: Terminal): Command {
  return command.exitOverride().configureOutput({
    writeOut: (text) => terminal.line(text.trimEnd()),
    // Help that was not asked for (a group without a command) comes here.
    writeErr: (text) => void (text.startsWith('error:') || terminal.note(text.trimEnd())),
    getOutHasColors: () => false,
  });
}

async function usageError(error: CommanderError, argv: readonly string[]): Promise<UsageError> {
  const command = namedEntry(argv);
  const help = ['holdfast', ...(command?.words ?? []), '--help'].join(' ');
  // Commander's sentences read "error: unknown option '--jsn'\n(Did you mean --json?)".
  const [first = '', suggestion = ''] = error.message.replace(/^error: /, '').split('\n');
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  const didYouMean = suggestion.replace(/^\(|\)$/g, '');
  return new UsageError({
    code: 'E_USAGE',
    message: `${sentence.replace(/\.$/, '')}.${didYouMean ? ` ${didYouMean}` : ''}`,
    hint: `"${help}" lists what there is.`,
  });
}

/** SQLite and type stripping warn on every start of some Node versions; we know. Other warnings are shown. */
function hideExperimentalWarnings(): void {
  const others = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return;
    for (const listener of others) listener(warning);
  });
}
