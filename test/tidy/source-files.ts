import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

/** Paths are relative to the root, with slashes, in order. */
export const sources = globSync('src/**/*.ts', { cwd: ROOT }).sort();
/** What is published: no tests. */
export const code = sources.filter((path) => !path.endsWith('.test.ts'));
/** Whatever proves something in `npm test`: tests, and the suites and helpers that they share. */
export const tests = [
  ...sources.filter((path) => path.endsWith('.test.ts')),
  ...globSync('test/**/*.ts', { cwd: ROOT })
    .filter((path) => !/^test\/(fixtures|bench|tidy|mutants)\//.test(path) && path !== 'test/tidy.test.ts')
    .sort(),
];

/** All of it, published or not: sources, tests, scripts, examples, the Studio's app. */
export const everything = [
  ...sources,
  ...['test/**/*.ts', 'scripts/**/*.ts', 'examples/**/*.ts', 'studio/src/**/*.{ts,tsx}']
    .flatMap((glob) => globSync(glob, { cwd: ROOT }))
    .sort(),
];

const texts = new Map<string, string>();

export function read(path: string): string {
  const known = texts.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(ROOT, path), 'utf8');
  texts.set(path, text);
  return text;
}

export function roomOf(path: string): string | undefined {
  return /^src\/([^/]+)\//.exec(path)?.[1];
}

export interface Import {
  /** The file that is imported, from the root. */
  readonly path: string;
  /** The names that are taken, as the other file calls them; empty for `import('…')`. */
  readonly names: readonly string[];
  /** True when only types are taken, so that nothing is loaded. */
  readonly isOfTypes: boolean;
}

const STATIC = /^(import|export)\s+(type\s+)?(?:\{([^}]*)\}|(\*\s+as\s+\w+|\w+))\s*from\s*'(\.[^']+)'/gm;
const DYNAMIC = /\bimport\(\s*'(\.[^']+)'/g;

/** The files of ours that a file imports or passes on. */
export function importsOf(path: string): Import[] {
  const text = read(path);
  const target = (specifier = '') => relative(ROOT, join(ROOT, dirname(path), specifier));
  const found: Import[] = [];
  for (const [, , type, list = '', whole = '', specifier] of text.matchAll(STATIC)) {
    const entries = (whole === '' ? list.split(',') : ['*'])
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '');
    const isOfTypes = type !== undefined || entries.every((entry) => entry.startsWith('type '));
    const names = entries.map((entry) => entry.replace(/^type\s+/, '').replace(/\s+as\s+.*$/, ''));
    found.push({ path: target(specifier), names, isOfTypes });
  }
  for (const [, specifier] of text.matchAll(DYNAMIC))
    found.push({ path: target(specifier), names: ['*'], isOfTypes: false });
  return found;
}

/** The text with its comments blanked out; lines stay where they are. */
export function withoutComments(text: string): string {
  return text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|\s)\/\/.*$/gm, '$1');
}
