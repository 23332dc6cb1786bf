/** How the house is built: no circles, no doors to nowhere, no timers of one's own, nothing too long. */
import { describe, expect, test } from 'vitest';
import { isDoor, unusedDoorNames } from './door-names.ts';
import { functionsIn } from './functions.ts';
import { findCycles } from './import-cycles.ts';
import { RATCHETS } from './ratchets.ts';
import { code, everything, importsOf, read, withoutComments } from './source-files.ts';

/** Files that may set a timer although they are not the clock, each with its reason. */
const TIMERS_ALLOWED: Readonly<Record<string, string>> = {
  'src/journal/group-commit.ts':
    'setImmediate: a turn of the event loop, so that rows that come together are synced together',
  'src/process/orphan-watch.ts':
    'the text of a thread that goes round while ours does not, and has no clock of ours',
};

const FILE_LINES_MAX = 400;
const FUNCTION_LINES_MAX = 70;
const FUNCTION_LINES_AIM = 40;

describe('imports', () => {
  test('no file imports itself through others; types do not count, because nothing is loaded for them', () => {
    const graph = new Map(code.map((path) => [path, valueImports(path)]));
    expect(findCycles(graph)).toEqual([]);
  });

  test('nobody takes a door whole: then no name of it could be called unused', () => {
    const whole = everything.filter((path) =>
      importsOf(path).some(({ path: door, names }) => isDoor(door) && names.includes('*')),
    );
    expect(whole).toEqual([]);
  });

  test('a door shows nothing that nobody takes', () => {
    const unused = unusedDoorNames().map(({ door, name }) => `${door}: ${name}`);
    expect(unused.length, `node scripts/tidy-doors.ts takes out ${unused.join(', ')}`).toBeLessThanOrEqual(
      RATCHETS.unusedDoorNames,
    );
  });
});

describe('counts that only go down', () => {
  test('timers belong to the clock of base/', () => {
    const found = lineMatches(
      /\b(setTimeout|setInterval|setImmediate)\(/,
      (path) => !path.startsWith('src/base/') && !(path in TIMERS_ALLOWED),
    );
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(RATCHETS.timers);
  });

  test('what is stored is parsed, not cast', () => {
    const found = lineMatches(/\bas\s+unknown\s+as\b/, () => true, everything);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(RATCHETS.doubleCasts);
  });

  test('what may be absent is passed on as it is, or by `definedOf`, not by a spread for each key', () => {
    const found = lineMatches(/\.\.\.\(.*(?:&&|\?) \{/, () => true);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(RATCHETS.conditionalSpreads);
  });

  test(`no file is longer than ${FILE_LINES_MAX} lines`, () => {
    const found = code.filter((path) => read(path).split('\n').length - 1 > FILE_LINES_MAX);
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(RATCHETS.longFiles);
  });

  test(`no function is longer than ${FUNCTION_LINES_MAX} lines, and few are longer than ${FUNCTION_LINES_AIM}`, () => {
    const longest = longFunctions(FUNCTION_LINES_MAX);
    expect(longest.length, longest.join('\n')).toBeLessThanOrEqual(RATCHETS.longFunctions);
    const long = longFunctions(FUNCTION_LINES_AIM);
    expect(long.length, long.join('\n')).toBeLessThanOrEqual(RATCHETS.ratherLongFunctions);
  });
});

function valueImports(path: string): string[] {
  return importsOf(path)
    .filter(({ isOfTypes }) => !isOfTypes)
    .map((imported) => imported.path);
}

function lineMatches(what: RegExp, isMeant: (path: string) => boolean, files = code): string[] {
  return files.filter(isMeant).flatMap((path) =>
    withoutComments(read(path))
      .split('\n')
      .flatMap((line, index) => (what.test(line) ? [`${path}:${index + 1}`] : [])),
  );
}

function longFunctions(linesMax: number): string[] {
  return code.flatMap((path) =>
    functionsIn(read(path))
      .filter(({ lines }) => lines > linesMax)
      .map(({ name, line, lines }) => `${path}:${line} ${name} has ${lines} lines`),
  );
}

test('the glossary says what a word means once', () => {
  const words: readonly string[] = read('docs/glossary.md').match(/^\| [^|]+ \|/gm) ?? [];
  expect(words.length).toBeGreaterThan(50);
  expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
});
