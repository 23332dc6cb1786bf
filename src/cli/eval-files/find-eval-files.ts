import { isAbsolute, join, relative, resolve } from 'node:path';
import { UsageError } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';

const MODULE_ENDING = /\.(?:ts|mts|js|mjs)$/;
const YAML_ENDING = /\.(?:yaml|yml)$/;
const EVAL_FILES = '**/*.eval.{ts,mts,js,mjs,yaml,yml}';

export type EvalFileKind = 'module' | 'yaml';

/** Absolute paths, each once, in the order of the arguments; within a folder or a pattern by name. */
export async function findEvalFiles(
  patterns: readonly string[],
  { disk, cwd }: { readonly disk: Disk; readonly cwd: string },
): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const pattern of patterns) {
    for (const path of await filesOf(pattern, disk, cwd)) found.add(path);
  }
  return [...found];
}

/** How an eval file is read; undefined for a file that cannot be one. */
export function evalFileKind(path: string): EvalFileKind | undefined {
  if (MODULE_ENDING.test(path)) return 'module';
  return YAML_ENDING.test(path) ? 'yaml' : undefined;
}

async function filesOf(pattern: string, disk: Disk, cwd: string): Promise<readonly string[]> {
  const path = resolve(cwd, pattern);
  const stat = await disk.stat(path);
  if (stat?.kind === 'directory') return filesBelow(path, pattern);
  if (stat) {
    if (evalFileKind(path)) return [path];
    throw new UsageError({
      code: 'E_EVAL_FILE_KIND',
      message: `${pattern} is not an eval file: its name ends neither in .ts, .mts, .js, .mjs nor in .yaml, .yml.`,
      hint: 'Name an eval file, such as capitals.eval.ts.',
    });
  }
  return filesMatching(pattern, cwd);
}

async function filesBelow(dir: string, given: string): Promise<readonly string[]> {
  const files = await glob(EVAL_FILES, dir);
  if (files.length > 0) return files;
  throw new UsageError({
    code: 'E_EVAL_FILE_NONE',
    message: `There is no eval file in ${given}: none is called *.eval.ts, *.eval.js or *.eval.yaml.`,
    hint: 'Write one with "holdfast init", or name another folder.',
  });
}

async function filesMatching(pattern: string, cwd: string): Promise<readonly string[]> {
  const isGlob = /[*?[\]{}!()]/.test(pattern);
  if (!isGlob) {
    throw new UsageError({
      code: 'E_EVAL_FILE_NONE',
      message: `There is no eval file ${pattern}.`,
      hint: 'Check the path, or write a first eval with "holdfast init".',
    });
  }
  const relativePattern = isAbsolute(pattern) ? relative(cwd, pattern) : pattern;
  const files = (await glob(relativePattern, cwd)).filter((path) => evalFileKind(path) !== undefined);
  if (files.length > 0) return files;
  throw new UsageError({
    code: 'E_EVAL_FILE_NONE',
    message: `No eval file matches ${pattern}.`,
    hint: 'Check the pattern, and put it in quotes so that the shell leaves it alone.',
  });
}

async function glob(pattern: string, cwd: string): Promise<readonly string[]> {
  const { glob: find } = await import('tinyglobby');
  const paths = await find(pattern.replaceAll('\\', '/'), {
    cwd,
    ignore: ['**/node_modules/**'],
    expandDirectories: false,
    onlyFiles: true,
  });
  return paths.map((path) => join(cwd, path)).sort();
}
