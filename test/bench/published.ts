/** Holdfast as it is published: built, and run by its command line in a process of its own. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Measured, measureProcess } from './measure-process.ts';

const ROOT = join(import.meta.dirname, '../..');
export const LAUNCHER = join(import.meta.dirname, 'holdfast.mjs');

/** Builds once for all benchmarks of a run. */
export function buildPublished(): void {
  if (isBuilt) return;
  const build = spawnSync(process.execPath, [join(ROOT, 'scripts/build.mjs')], { encoding: 'utf8' });
  if (build.status !== 0) throw new Error(`The build failed:\n${build.stdout}${build.stderr}`);
  isBuilt = true;
}

export async function holdfast(args: readonly string[]): Promise<Measured> {
  buildPublished();
  const run = await measureProcess(process.execPath, [LAUNCHER, ...args]);
  if (run.exitCode !== 0)
    throw new Error(`holdfast ${args.join(' ')} ended with ${run.exitCode}:\n${run.stderr}`);
  return run;
}

let isBuilt = false;
