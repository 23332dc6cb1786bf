/** Whoever types a command of the guides is understood: it is there, and takes the words and the values that are written. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { CATALOG } from '../../src/cli/catalog.ts';
import { applySpec } from '../../src/cli/command.ts';
import { ROOT } from './source-files.ts';

const PAGES = globSync(['README.md', 'docs/guide/*.md', 'examples/*/README.md'], { cwd: ROOT });
/** A line of these says what there is, and not what somebody types. */
const SYNOPSIS = /[[\]|…]|\.\.\./;
/** What stands for a value that is somebody's own. */
const VALUES: Readonly<Record<string, string>> = {
  $INDEX: '1',
  $RUN: '20261118',
  $HOLDFAST_BUCKET: 's3://b',
};

/** What is written behind a command, after some room, says what it does. */
const LINES = PAGES.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)]
    .flatMap(([, language = '', block = '']) =>
      language === '' || language === 'sh' ? block.split('\n') : [],
    )
    .map((line) => line.replace(/^\$ |\s+#.*|\s{2,}.*/g, ''))
    .filter((line) => line.startsWith('holdfast ') && !SYNOPSIS.test(line))
    .map((line) => ({ page, line })),
);

test('every command of a guide is one, with its words, flags and values', async () => {
  for (const page of ['workers', 'launch', 'bundle', 'many-machines', 'artifacts', 'results'])
    expect(LINES.filter((one) => one.page === `docs/guide/${page}.md`).length, page).toBeGreaterThan(0);
  const wrong: string[] = [];
  for (const { page, line } of LINES) {
    const problem = await problemOf(wordsOf(line));
    if (problem !== undefined) wrong.push(`${page}: ${line}: ${problem}`);
  }
  expect(wrong).toEqual([]);
});

test('what is no command, no flag and no value of one is found', async () => {
  expect(await problemOf(['rnu', 'a.eval.ts'])).toContain('no command');
  expect(await problemOf(['run', 'a.eval.ts', '--wrokers', '2'])).toContain('--wrokers');
  expect(await problemOf(['run', 'a.eval.ts', '--shard', '3/2'])).toContain('--shard');
  expect(await problemOf(['runs', 'status'])).toContain('run');
});

/** Why the command line would be refused before anything is done; undefined when it would not. */
async function problemOf(words: readonly string[]): Promise<string | undefined> {
  const isNamed = ({ words: name }: (typeof CATALOG)[number]) => name.every((word, at) => words[at] === word);
  // The longer name, where one is the beginning of the other.
  const entry = CATALOG.filter(isNamed).sort((a, b) => b.words.length - a.words.length)[0];
  if (!entry) return 'there is no command of that name';
  const { command: spec } = await entry.load();
  const command = applySpec(new Command(entry.words.join(' ')), spec, async () => undefined);
  try {
    await command
      .exitOverride()
      .configureOutput({ writeErr: () => undefined })
      .parseAsync(words.slice(entry.words.length), { from: 'user' });
  } catch (error) {
    return String(error);
  }
  return undefined;
}

/** As a shell takes a line apart, up to where another program begins. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.split(/ (?:&&|>) /);
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );
  return words.slice(1).map((word) => word.replace(/\$[A-Z_]+/g, (name) => VALUES[name] ?? name));
}
