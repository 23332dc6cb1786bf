import { type Command, Help, type Option } from 'commander';
import { variableOf } from './config/setting-list.ts';
import type { Settings } from './config/settings.ts';
import { settingsOfOptions } from './config/settle-flags.ts';
import type { ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';

/** A command is data and one thin function; the library does the work. */
export interface CommandSpec<Flags extends CommonFlags = CommonFlags> {
  /** As commander writes arguments: `<files...>`, `[dir]`. */
  readonly arguments?: readonly (readonly [name: string, summary: string])[];
  readonly summary: string;
  readonly description?: string;
  readonly options: readonly Option[];
  readonly examples: readonly (readonly [command: string, what: string])[];
  readonly exits: Readonly<Record<number, string>>;
  /** Its codes say what became of a shared run: no error may read as one of its ends. */
  readonly isOfShared?: true;
  run(call: CommandCall<Flags>): Promise<ExitCode>;
}

/** What every command knows. */
export interface CommonFlags {
  readonly json?: true;
  readonly verbose?: true;
}

export interface CommandCall<Flags extends CommonFlags = CommonFlags> {
  readonly args: readonly (string | readonly string[] | undefined)[];
  readonly flags: Flags;
  /** The words of the command line after the command, as they were given. */
  readonly words: readonly string[];
  readonly terminal: Terminal;
  /** Whether the command line itself gave an option. */
  isGiven(option: string): boolean;
  /** What the environment and the project say. Options that stand for a setting have it in their flags already. */
  settings(): Promise<Settings>;
}

/** For type inference only. */
export function defineCommand<Flags extends CommonFlags>(spec: CommandSpec<Flags>): CommandSpec<Flags> {
  return spec;
}

/** Gives a commander command its words and its help. `onRun` is called with what was parsed. */
export function applySpec<Flags extends CommonFlags>(
  command: Command,
  spec: CommandSpec<Flags>,
  onRun: (args: CommandCall['args'], flags: Flags) => Promise<void>,
): Command {
  // Whoever shows the help breaks the lines to fit: breaks of the source among them would make it ragged.
  const description = spec.description?.replace(/\s*\n\s*/g, ' ') ?? `${spec.summary}.`;
  command.summary(spec.summary).description(description);
  for (const [name, summary] of spec.arguments ?? []) command.argument(name, summary);
  for (const option of spec.options) command.addOption(option);
  command.option('--json', 'print one JSON document on stdout, and nothing else there');
  command.option('--verbose', 'say more: error codes, and where errors came from');
  command.configureHelp({ optionDescription: descriptionWithVariable(command) });
  command.addHelpText('after', `\n${helpOfExamples(spec)}\n${helpOfExits(spec)}`);
  const count = spec.arguments?.length ?? 0;
  return command.action(async (...given: unknown[]) =>
    onRun(given.slice(0, count) as CommandCall['args'], given[count] as Flags),
  );
}

/** Whatever option stands for a setting can be given in the environment. */
function descriptionWithVariable(command: Command): (option: Option) => string {
  const plain = new Help();
  return (option) => {
    const key = settingsOfOptions(command).get(option.attributeName());
    const text = plain.optionDescription(option);
    return key === undefined ? text : `${text} (env: ${variableOf(key)})`;
  };
}

function helpOfExamples({ examples }: Pick<CommandSpec, 'examples'>): string {
  const width = Math.max(0, ...examples.map(([command]) => command.length));
  const lines = examples.map(([command, what]) =>
    width > 52 ? `  ${command}\n      ${what}` : `  ${command.padEnd(width)}   ${what}`,
  );
  return `Examples:\n${lines.join('\n')}\n`;
}

function helpOfExits({ exits }: Pick<CommandSpec, 'exits'>): string {
  const lines = Object.entries(exits).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return `Exit codes:\n${lines.join('\n')}`;
}
