import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Mutant } from './mutant.ts';
import { runProgram } from './run-program.ts';

/**
 * `noticed` is what every mutant must be. `hung` is not: only a test's own time limit counts, because nobody waits for
 * ours. Tests that fail without the fault say nothing about it.
 */
export type Verdict =
  | 'noticed'
  | 'UNNOTICED'
  | 'hung'
  | 'does not apply'
  | 'does not compile'
  | 'fails anyway';

export interface Trial {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  readonly seconds: number;
  /** The test that noticed it, or what was in the way. */
  readonly detail: string;
}

export interface TryOptions {
  /** A copy of the tree, without any fault. */
  readonly tree: string;
  readonly timeLimitMs: number;
}

const PATCH_TIME_LIMIT_MS = 60_000;
const TEST_TIMEOUT_MS = 60_000;

/** Puts one fault into a copy of the tree, runs the tests that it names, and takes it out again. */
export async function tryMutant(mutant: Mutant, options: TryOptions): Promise<Trial> {
  const start = performance.now();
  const trial = (verdict: Verdict, detail: string): Trial => ({
    mutant,
    verdict,
    seconds: (performance.now() - start) / 1000,
    detail,
  });
  const applied = await git(['apply', mutant.path], options);
  if (applied.status !== 0) return trial('does not apply', firstLine(applied.output));
  const { verdict, detail } = await judge(mutant.tests, options);
  const undone = await git(['apply', '--reverse', mutant.path], options);
  if (undone.status !== 0) throw new Error(`${mutant.path} cannot be taken out again: ${undone.output}`);
  return trial(verdict, detail);
}

/** The test files among these that fail without any fault. */
export async function findFailing(files: readonly string[], options: TryOptions): Promise<string[]> {
  const { report, status } = await runVitest(files, [], options);
  if (report === undefined)
    throw new Error(`the tests cannot be run without any fault (exit code ${status})`);
  const failing = report.testResults.filter((file) => file.status !== 'passed');
  return failing.map(({ name }) => relative(options.tree, name));
}

/** A fault may leave a name unused; anything else that the compiler says means that it is not a fault of meaning. */
function compile(options: TryOptions) {
  const args = [
    '--project',
    '.',
    '--pretty',
    'false',
    '--noUnusedLocals',
    'false',
    '--noUnusedParameters',
    'false',
    // From one fault to the next hardly anything changes, so only that is compiled again.
    '--incremental',
    '--tsBuildInfoFile',
    join(options.tree, '.mutant-types.json'),
  ];
  return runProgram('tsc', args, { cwd: options.tree, timeLimitMs: options.timeLimitMs });
}

async function judge(
  files: readonly string[],
  options: TryOptions,
): Promise<{ verdict: Verdict; detail: string }> {
  const compiled = await compile(options);
  if (compiled.status !== 0) return { verdict: 'does not compile', detail: firstLine(compiled.output) };
  const { report, status } = await runVitest(files, ['--bail', '1'], options);
  if (status === undefined)
    return { verdict: 'hung', detail: `no end within ${options.timeLimitMs / 1000} s` };
  if (status === 0) return { verdict: 'UNNOTICED', detail: `${report?.numPassedTests ?? 0} tests passed` };
  const failed = report?.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find((test) => test.status === 'failed');
  if (failed) return { verdict: 'noticed', detail: failed.fullName };
  const broken = report?.testResults.find(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  if (broken) return { verdict: 'does not compile', detail: firstLine(broken.message) };
  return { verdict: 'noticed', detail: 'an error outside any test' };
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** One worker: two mutants are tried side by side. */
async function runVitest(files: readonly string[], more: readonly string[], options: TryOptions) {
  const path = join(options.tree, '.mutant-report.json');
  rmSync(path, { force: true });
  // A fault that makes a test wait for ever is noticed long before the time of all its files is over.
  const limits = ['--testTimeout', String(TEST_TIMEOUT_MS), '--hookTimeout', String(TEST_TIMEOUT_MS)];
  const reporting = ['--reporter', 'json', '--outputFile', path];
  const args = ['run', '--maxWorkers', '1', ...limits, ...reporting, ...more, ...files];
  const { status } = await runProgram('vitest', args, {
    cwd: options.tree,
    timeLimitMs: options.timeLimitMs,
  });
  const report = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as VitestReport) : undefined;
  return { status, report };
}

function git(args: readonly string[], options: TryOptions) {
  return runProgram('git', args, { cwd: options.tree, timeLimitMs: PATCH_TIME_LIMIT_MS });
}

function firstLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? '';
}
