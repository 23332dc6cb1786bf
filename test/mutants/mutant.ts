import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fault that somebody could put into the source, the promise that it breaks, and the tests that must notice it. */
export interface Mutant {
  /** `<room>/<short name>`. */
  readonly name: string;
  /** The path of its patch, from the root. */
  readonly path: string;
  readonly promise: string;
  /** Test files, from the root; at least one test in them must fail. */
  readonly tests: readonly string[];
}

/** All mutants of a tree, in the order of their names. */
export function listMutants(root: string): Mutant[] {
  const paths = globSync('test/mutants/*/*.patch', { cwd: root }).sort();
  return paths.map((path) => parseMutant(path, readFileSync(join(root, path), 'utf8')));
}

/** The first two lines of a patch say what it is; `git apply` passes over them. */
export function parseMutant(path: string, text: string): Mutant {
  const [first = '', second = ''] = text.split('\n');
  const promise = /^# promise: (.+)$/.exec(first)?.[1];
  const tests = /^# tests: (.+)$/.exec(second)?.[1]?.trim().split(/\s+/);
  if (promise === undefined || tests === undefined)
    throw new Error(`${path} does not begin with the lines "# promise: …" and "# tests: file file …"`);
  return { name: path.replace(/^test\/mutants\/|\.patch$/g, ''), path, promise, tests };
}
