// Puts faults into copies of the source, one at a time, and asks whether the tests notice:
// `npm run mutants [-- --only <part of a name> --jobs 2 --time-limit 300 --list --json]`.
//
// The faults are the patches below test/mutants; CONTRIBUTING.md says how one is written. Ends with 1 unless every one
// of them applies, compiles and is noticed by a test that passes without it.

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listMutants, type Mutant } from '../test/mutants/mutant.ts';
import { copyTree } from '../test/mutants/tree-copy.ts';
import { findFailing, type Trial, tryMutant } from '../test/mutants/try-mutant.ts';

const ROOT = join(import.meta.dirname, '..');

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    jobs: { type: 'string', default: '2' },
    'time-limit': { type: 'string', default: '300' },
    list: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const chosen = listMutants(ROOT).filter(
  ({ name }) => options.only.length === 0 || options.only.some((part) => name.includes(part)),
);
if (options.list) {
  for (const { name, promise } of chosen) process.stdout.write(`${name.padEnd(48)} ${promise}\n`);
} else {
  const trials = await tryAll(chosen);
  if (options.json) process.stdout.write(`${JSON.stringify(trials, null, 2)}\n`);
  else process.stdout.write(`${summary(trials)}\n`);
  if (trials.length === 0 || trials.some(({ verdict }) => verdict !== 'noticed')) process.exitCode = 1;
}

async function tryAll(mutants: readonly Mutant[]): Promise<Trial[]> {
  const failing = await findFailingFiles(mutants);
  const waiting = [...mutants];
  const trials: Trial[] = [];
  const work = async () => {
    using tree = copyTree(ROOT);
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const trial = await tryOne(mutant, { tree: tree.path, failing });
      trials.push(trial);
      // Said as they come, because the whole takes many minutes.
      if (!options.json) process.stdout.write(`${line(trial)}\n`);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(options.jobs)) }, work));
  return trials.sort((a, b) => (a.mutant.name < b.mutant.name ? -1 : 1));
}

async function tryOne(
  mutant: Mutant,
  { tree, failing }: { readonly tree: string; readonly failing: ReadonlySet<string> },
): Promise<Trial> {
  const already = mutant.tests.find((file) => failing.has(file));
  if (already !== undefined) return { mutant, verdict: 'fails anyway', seconds: 0, detail: already };
  return tryMutant(mutant, { tree, timeLimitMs: timeLimitMs() });
}

/** A test that fails without any fault would seem to notice every one. */
async function findFailingFiles(mutants: readonly Mutant[]): Promise<Set<string>> {
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))];
  if (files.length === 0) return new Set();
  using tree = copyTree(ROOT);
  if (!options.json) process.stdout.write(`${files.length} test files without any fault …\n`);
  const failing = await findFailing(files, { tree: tree.path, timeLimitMs: 10 * timeLimitMs() });
  return new Set(failing);
}

function timeLimitMs(): number {
  return Number(options['time-limit']) * 1000;
}

function line({ mutant, verdict, seconds, detail }: Trial): string {
  return `${verdict.padEnd(16)} ${seconds.toFixed(1).padStart(6)} s  ${mutant.name.padEnd(44)} ${detail}`;
}

function summary(trials: readonly Trial[]): string {
  const bad = trials.filter(({ verdict }) => verdict !== 'noticed');
  const head = `${trials.length - bad.length} of ${trials.length} faults noticed`;
  return [head, ...bad.map((trial) => `${line(trial)}\n    promise: ${trial.mutant.promise}`)].join('\n');
}
