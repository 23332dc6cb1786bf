/** What makes no sense is refused by the command line itself, with what to write instead: nothing was opened by then. */
import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { CATALOG } from './catalog.ts';
import { applySpec } from './command.ts';

const DURATIONS = ['0', '0s', '-5s', 'abc', '1e9x', ''];
const COUNTS = ['0', '-1', '1.5', 'abc', ''];

const REFUSED: readonly (readonly [command: string, option: string, values: readonly string[]])[] = [
  ['worker', '--slots', [...COUNTS, '1e9', '10001']],
  ['worker', '--idle-exit', DURATIONS],
  ['worker', '--max-runtime', DURATIONS],
  ['worker', '--hang-max', DURATIONS],
  ['worker', '--keep-bundles', ['-1', '-1d', 'abc', '', '1h']],
  ['submit x', '--timeout', DURATIONS],
  ['submit x', '--no-progress', DURATIONS],
  ['submit x', '--lost-max', COUNTS],
  ['submit x', '--budget', ['0', '-1', 'NaN', 'Infinity', 'abc', '']],
  ['submit x', '--launch-workers', [...COUNTS, '1e9']],
  ['submit x', '--time-limit', DURATIONS],
  ['submit x', '--working-limit', DURATIONS],
  ['runs wait x', '--timeout', DURATIONS],
  ['runs wait x', '--no-progress', DURATIONS],
  ['runs resume x', '--timeout', DURATIONS],
  ['runs resume x', '--budget', ['0', '-1', 'NaN', 'abc']],
  ['runs gc', '--older-than', ['-1', 'abc', '']],
  ['runs list', '--last', COUNTS],
  ['run x', '--shard', ['0/3', '4/3', '1/0', '0/0', '-1/3', '1.5/3', '3', 'abc', '']],
  ['run x', '--workers', [...COUNTS, '1e9']],
];

const TAKEN: readonly (readonly [command: string, option: string, value: string, parsed: unknown])[] = [
  ['worker', '--slots', '10000', 10_000],
  ['worker', '--idle-exit', '30d', 30 * 86_400_000],
  ['worker', '--max-runtime', '60d', 60 * 86_400_000],
  ['worker', '--keep-bundles', '0', 0],
  ['submit x', '--timeout', '60d', 60 * 86_400_000],
  ['runs wait x', '--timeout', '1ms', 1],
  ['run x', '--shard', '3/3', { index: 3, count: 3 }],
  ['run x', '--grace', '0', 0],
];

/** What the options of a command give, as the command line reads them. */
async function parse(words: readonly string[], option: string): Promise<unknown> {
  const [first, second] = words;
  const entry =
    CATALOG.find(({ words: [a, b] }) => a === first && b === second) ??
    CATALOG.find(({ words: [a, b] }) => a === first && b === undefined);
  if (!entry) throw new Error(`there is no command ${words.join(' ')}`);
  const { command: spec } = await entry.load();
  let flags: Readonly<Record<string, unknown>> = {};
  const command = applySpec(new Command(first), spec, async (_, given) => {
    flags = { ...given };
  });
  command.exitOverride().configureOutput({ writeErr: () => undefined });
  await command.parseAsync(words.slice(entry.words.length), { from: 'user' });
  const name = command.options.find(({ long }) => long === option)?.attributeName();
  return flags[name ?? ''];
}

test.each(REFUSED)('%s refuses what makes no sense for %s: %j', async (command, option, values) => {
  for (const value of values) {
    const parsed = parse([...command.split(' '), option, value], option);
    const error = await parsed.then(
      (got) => new Error(`"${value}" was taken for ${String(got)}`),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(CommanderError);
    // It is named, and what to write instead is said.
    expect((error as Error).message, value).toMatch(
      /^error: option '--.*' argument '.*' is invalid\. Write /,
    );
  }
});

test.each(TAKEN)('%s takes %s %s', async (command, option, value, parsed) => {
  expect(await parse([...command.split(' '), option, value], option)).toEqual(parsed);
});
