/** Whoever reads a hint does what it says: the flags, commands and pages that it names are there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packagePage } from '../../src/base/index.ts';
import { CATALOG, GROUPS } from '../../src/cli/catalog.ts';

const ROOT = join(import.meta.dirname, '../..');

/** They speak the language of other programs, or are the options themselves. */
const OTHERS = [
  'src/targets/command-preset.ts',
  'src/cli/small-heap.ts',
  'src/bundle/packages.ts',
  'src/cli/eval-files/module-place.ts',
  'src/cli/demo/',
  'src/cli/command.ts',
  'src/process/',
  'src/disk/',
  'src/launch/plan-launch.ts',
];
const ALWAYS = ['--json', '--verbose', '--help', '--version'];

interface Text {
  readonly path: string;
  readonly text: string;
}

const texts: readonly Text[] = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((path) => !path.endsWith('.test.ts') && !OTHERS.some((other) => path.startsWith(other)))
  .flatMap((path) => literalsIn(readFileSync(join(ROOT, path), 'utf8')).map((text) => ({ path, text })));

const flagsByCommand = new Map<string, ReadonlySet<string>>();
for (const { words, load } of CATALOG) {
  const { command } = await load();
  const flags = command.options.flatMap(({ long, short }) => [long ?? '', short ?? '']);
  flagsByCommand.set(words.join(' '), new Set([...flags, ...ALWAYS]));
}

describe('what hints name is there', () => {
  test('commands', () => {
    const unknown = texts.flatMap(({ path, text }) =>
      commandsIn(text)
        .filter(({ command }) => command === undefined)
        .map(({ words }) => `${path}: holdfast ${words}`),
    );
    expect(unknown).toEqual([]);
  });

  test('flags of a command that is named', () => {
    const unknown = texts.flatMap(({ path, text }) =>
      commandsIn(text).flatMap(({ command = '', rest }) =>
        flagsIn(rest)
          .filter((flag) => flagsByCommand.get(command)?.has(flag) === false)
          .map((flag) => `${path}: holdfast ${command} has no ${flag}`),
      ),
    );
    expect(unknown).toEqual([]);
  });

  test('flags alone: of the command that was given, so far as that is known', () => {
    const all = new Set([...flagsByCommand.values()].flatMap((flags) => [...flags]));
    const ofRuns = new Set(['run', 'score'].flatMap((name) => [...(flagsByCommand.get(name) ?? [])]));
    const isOfRuns = (path: string) => /^src\/(?:evals|datasets|targets|runner)\//.test(path);
    // What is said to git is none of ours.
    const isToldToGit = (path: string) => path.startsWith('src/git/');
    const unknown = texts.flatMap(({ path, text }) =>
      isToldToGit(path) || /holdfast |inspect |command: \[/.test(text)
        ? []
        : flagsIn(text)
            .filter((flag) => !(isOfRuns(path) ? ofRuns : all).has(flag))
            .map((flag) => `${path}: ${flag}`),
    );
    expect(unknown).toEqual([]);
  });

  test('pages, where they are on the machine of whoever reads it', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).map((path) =>
      readFileSync(join(ROOT, path), 'utf8'),
    );
    const pages = sources.flatMap((source) =>
      [...source.matchAll(/packagePage\('([^']+)'\)/g)].map(([, page = '']) => page),
    );
    expect(pages.length).toBeGreaterThan(0);
    expect(pages.filter((page) => !existsSync(packagePage(page)))).toEqual([]);
    expect(packagePage('errors.md')).toBe(join(ROOT, 'docs/errors.md'));
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).toContain('docs');
    const unplaced = texts.filter(({ text }) => /\bdocs\/[\w/-]+\.md/.test(text)).map(({ path }) => path);
    expect(unplaced).toEqual([]);
  });
});

interface NamedCommand {
  readonly command: string | undefined;
  readonly words: string;
  readonly rest: string;
}

/** `holdfast log show …`: the words after the program, as far as they name a command. */
function commandsIn(text: string): NamedCommand[] {
  return [...text.matchAll(/(?<![\w./-])holdfast ([a-z]+)(?: ([a-z]+))?([^"]*)/g)].map(
    ([, first = '', second = '', rest = '']) => {
      // A command may have others below it: `studio`, and `studio export`.
      const isTwoWords = first in GROUPS || flagsByCommand.has(`${first} ${second}`);
      const words = isTwoWords ? `${first} ${second}` : first;
      return { command: flagsByCommand.has(words) ? words : undefined, words, rest };
    },
  );
}

function flagsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
}

/** The texts between quotes of any kind, without comments. A template is one text, with what is put into it. */
function literalsIn(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  return [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  );
}
