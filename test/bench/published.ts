/** Holdfast as it is published: built, and run by its command line in a process of its own. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../../src/base/index.ts';
import { type Measured, measureProcess } from './measure-process.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Not in dist/, which somebody may be building while this runs; below node_modules, so that imports are found. Checkouts may share those. */
const PACKAGE = join(ROOT, 'node_modules/.cache', `holdfast-bench-${digestOf(ROOT).slice(0, 8)}`);
export const LAUNCHER = join(PACKAGE, 'holdfast.mjs');

/** Builds once for all benchmarks of a run. */
export function buildPublished(): void {
  if (isBuilt) return;
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  const args = [join(ROOT, 'scripts/build.mjs'), join(PACKAGE, 'dist')];
  const build = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (build.status !== 0) throw new Error(`The build failed:\n${build.stdout}${build.stderr}`);
  cpSync(join(ROOT, 'package.json'), join(PACKAGE, 'package.json'));
  cpSync(join(import.meta.dirname, 'holdfast.mjs'), LAUNCHER);
  isBuilt = true;
}

export async function holdfast(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd: string = process.cwd(),
): Promise<Measured> {
  buildPublished();
  const run = await measureProcess(process.execPath, [LAUNCHER, ...args], { env, cwd });
  if (run.exitCode !== 0)
    throw new Error(`holdfast ${args.join(' ')} ended with ${run.exitCode}:\n${run.stderr}`);
  return run;
}

let isBuilt = false;
