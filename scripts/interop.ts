// Proves Holdfast against the real Inspect: `npm run interop [-- --runs 6 --seed 7 --only words-of-a-step --keep]`.
//
// Installs the newest Inspect into a cache outside the tree, crashes real evals with SIGKILL, recovers each with both
// tools and compares; then reads logs written by `holdfast run` with everything that Inspect reads logs with.
// Where PyPI cannot be reached it says so and ends with 0.

import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openBrowser } from './inspect/browser.ts';
import {
  type Environment,
  InspectUnavailableError,
  inspectEnvironment,
  newestInspect,
  run,
} from './inspect/environment.ts';
import { type LogReport, missingFrom, reportLog, sampleKey, unequalNumbers } from './inspect/log-report.ts';
import { type ViewedLog, viewProblems } from './inspect/view-check.ts';
import { openWorkplace, runPython, type Workplace } from './inspect/workplace.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const HOLDFAST = join(ROOT, 'bin/holdfast.js');
const OUR_EVALS = ['scripts/inspect/everything.eval.ts', 'examples/capitals.eval.ts'];

interface Step {
  readonly name: string;
  readonly run: (context: Context) => Promise<Outcome>;
}

type Outcome =
  | { readonly skipped: string }
  | { readonly checked: string; readonly problems: readonly string[] };

interface Context {
  readonly dir: string;
  readonly environment: Environment;
  readonly runs: number;
  readonly random: () => number;
  /** What earlier steps made, for later ones. */
  readonly crashes: Workplace[];
  readonly logs: ViewedLog[];
}

const STEPS: readonly Step[] = [
  { name: 'crash real runs of Inspect', run: crashRuns },
  { name: 'recover each with both tools', run: recoverBoth },
  { name: 'read the logs of holdfast run with Inspect', run: readOurLogs },
  { name: 'open the logs in the viewer of Inspect', run: openInViewer },
];

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '4' },
      seed: { type: 'string', default: String(process.pid) },
      only: { type: 'string', multiple: true },
      keep: { type: 'boolean', default: false },
    },
  });
  const environment = await environmentOrReason();
  if (typeof environment === 'string') {
    console.log(`SKIPPED: interop needs Inspect from PyPI, and ${environment}.`);
    return 0;
  }
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-interop-'));
  console.log(`Inspect ${environment.version}, seed ${values.seed}, in ${dir}`);
  const context = {
    dir,
    environment,
    runs: Number(values.runs),
    random: seeded(Number(values.seed)),
    crashes: [],
    logs: [],
  };
  const steps = STEPS.filter(
    (step) => values.only === undefined || values.only.some((part) => step.name.includes(part)),
  );
  const failed = await runSteps(steps, context);
  if (!values.keep && failed === 0) await rm(dir, { recursive: true, force: true });
  return failed === 0 ? 0 : 1;
}

async function runSteps(steps: readonly Step[], context: Context): Promise<number> {
  let failed = 0;
  for (const step of steps) {
    const outcome = await step.run(context);
    if ('skipped' in outcome) {
      console.log(`SKIPPED  ${step.name}: ${outcome.skipped}`);
      continue;
    }
    const { checked, problems } = outcome;
    failed += problems.length;
    console.log(`${problems.length === 0 ? 'ok      ' : 'FAILED  '} ${step.name}: ${checked}`);
    for (const problem of problems) console.log(`         - ${problem}`);
  }
  return failed;
}

/** Half of the runs share their buffer as segments; each dies at a random line of its ledger. */
async function crashRuns(context: Context): Promise<Outcome> {
  const problems: string[] = [];
  for (let n = 0; n < context.runs; n++) {
    const place = await openWorkplace(join(context.dir, `crash-${n}`), context.environment);
    const line = String(20 + Math.floor(context.random() * 700));
    const args = [
      'run_eval.py',
      'random-kill',
      '--log-dir',
      place.logDir,
      '--ledger',
      place.ledger,
      '--kill-at-line',
      line,
    ];
    const finished = await runPython(place, n % 2 === 0 ? args : [...args, '--shared', '1']);
    if (finished.signal === 'SIGKILL') context.crashes.push(place);
    else problems.push(`run ${n} ended with ${finished.exitCode}: ${finished.stderr.slice(-500)}`);
  }
  return { checked: `${context.crashes.length} runs killed`, problems };
}

async function recoverBoth(context: Context): Promise<Outcome> {
  const [first] = context.crashes;
  if (first === undefined) return { skipped: 'no crashed run was made' };
  if (!(await holdfastKnows('recover'))) return { skipped: 'holdfast has no command "recover" yet' };
  const problems: string[] = [];
  let more = 0;
  for (const place of context.crashes) {
    const [log = ''] = (await readdir(place.logDir)).filter((name) => name.endsWith('.eval'));
    const theirs = await recoverWithInspect(place, log);
    const ours = await recoverWithHoldfast(place, log);
    if (typeof ours === 'string') {
      problems.push(`${basename(place.root)}: ${ours}`);
      continue;
    }
    const found = [...ours.problems, ...(await missingFromLedger(place, ours))];
    if (theirs === undefined)
      more++; // Inspect refused what we recovered
    else found.push(...missingFrom(ours, theirs), ...unequalNumbers(ours, theirs));
    problems.push(...found.map((problem) => `${basename(place.root)}: ${problem}`));
  }
  return {
    checked: `${context.crashes.length} crashes recovered, ${more} of them refused by Inspect`,
    problems,
  };
}

async function recoverWithInspect(place: Workplace, log: string): Promise<LogReport | undefined> {
  const output = join(place.root, 'theirs', log);
  await mkdir(dirname(output), { recursive: true });
  const args = ['log', 'recover', join(place.logDir, log), '--output', output, '--no-cleanup'];
  const finished = await runPython(place, ['-m', 'inspect_ai', ...args]);
  return finished.exitCode === 0 ? reportLog(place, output) : undefined;
}

async function recoverWithHoldfast(place: Workplace, log: string): Promise<LogReport | string> {
  const output = join(place.root, 'ours', log);
  await mkdir(dirname(output), { recursive: true });
  const args = ['recover', join(place.logDir, log), '--output', output, '--keep', '--json'];
  const finished = await holdfast(args, { XDG_DATA_HOME: place.dataDir });
  if (finished.exitCode !== 0)
    return `holdfast recover ended with ${finished.exitCode}: ${finished.stderr.trim()}`;
  return reportLog(place, output);
}

interface LedgerLine {
  readonly t: string;
  readonly id: string | number;
  readonly epoch: number;
  readonly uuid: string;
  readonly samples?: readonly [string | number, number][];
}

/**
 * Every event that Inspect had committed must be in our log. A sample that Inspect removed and did not start again
 * was flushed; the events of an attempt that it removed before a retry are gone from every source.
 */
async function missingFromLedger(place: Workplace, ours: LogReport): Promise<string[]> {
  const committed = new Map<string, Set<string>>();
  for (const line of (await readFile(place.ledger, 'utf8')).split('\n')) {
    if (line === '') continue;
    const entry: LedgerLine = JSON.parse(line);
    if (entry.t === 'event') {
      const events = committed.get(sampleKey(entry)) ?? new Set();
      committed.set(sampleKey(entry), events.add(entry.uuid));
    }
    for (const [id, epoch] of entry.samples ?? []) committed.delete(sampleKey({ id, epoch }));
  }
  const held = new Map(ours.whole?.samples.map((sample) => [sampleKey(sample), new Set(sample.eventIds)]));
  return [...committed].flatMap(([key, events]) => {
    const lost = [...events].filter((id) => !held.get(key)?.has(id));
    return lost.length === 0
      ? []
      : [`sample ${key}: ${lost.length} of ${events.size} committed events are lost`];
  });
}

/** Runs evals of ours and reads their logs in each way that Inspect has. */
async function readOurLogs(context: Context): Promise<Outcome> {
  if (!(await holdfastKnows('run'))) return { skipped: 'holdfast has no command "run" yet' };
  const place = await openWorkplace(join(context.dir, 'ours'), context.environment);
  const problems: string[] = [];
  for (const file of OUR_EVALS) {
    const args = ['run', join(ROOT, file), '--model', 'mock/echo', '--log-dir', place.logDir, '--fresh'];
    const finished = await holdfast(args, {});
    if (finished.exitCode !== 0 && finished.exitCode !== 1)
      problems.push(`${file} ended with ${finished.exitCode}: ${finished.stderr.trim().slice(-500)}`);
  }
  for (const log of (await readdir(place.logDir)).filter((name) => name.endsWith('.eval'))) {
    const path = join(place.logDir, log);
    const report = await reportLog(place, path);
    problems.push(...report.problems.map((problem) => `${log}: ${problem}`));
    problems.push(...(await unlikeOurNumbers(path, report)).map((problem) => `${log}: ${problem}`));
    if (report.whole !== null) context.logs.push({ path, samples: report.whole.samples });
  }
  return { checked: `${context.logs.length} logs of ${OUR_EVALS.length} evals`, problems };
}

/** Where Inspect's numbers differ from those that our own reader gives of the same log. */
async function unlikeOurNumbers(path: string, report: LogReport): Promise<string[]> {
  const finished = await holdfast(['log', 'dump', path], {});
  if (finished.exitCode !== 0)
    return [`holdfast log dump ended with ${finished.exitCode}: ${finished.stderr.trim()}`];
  const dumped: { samples?: { events: unknown[]; messages: unknown[] }[]; status: string } = JSON.parse(
    finished.stdout.replace(/\b(NaN|-?Infinity)\b/g, 'null'),
  );
  const samples = dumped.samples ?? [];
  const numbers: [string, unknown, unknown][] = [
    ['status', dumped.status, report.whole?.status],
    ['samples', samples.length, report.whole?.samples.length],
    ['events', sum(samples.map((s) => s.events.length)), report.dataFrames?.events],
    [
      'messages',
      sum(samples.map((s) => s.messages.length)),
      sum(report.whole?.samples.map((s) => s.messages) ?? []),
    ],
  ];
  return numbers
    .filter(([, ours, theirs]) => ours !== theirs)
    .map(([name, ours, theirs]) => `${name}: we read ${String(ours)}, Inspect reads ${String(theirs)}`);
}

async function openInViewer(context: Context): Promise<Outcome> {
  const [first] = context.logs;
  if (first === undefined) return { skipped: 'there is no log of ours to open' };
  const browser = await openBrowser();
  if (typeof browser === 'string') return { skipped: browser };
  try {
    const { python } = context.environment;
    const problems = await viewProblems({ browser, python, logDir: dirname(first.path), logs: context.logs });
    return { checked: `${context.logs.length} logs opened`, problems };
  } finally {
    await browser.close();
  }
}

function holdfast(args: readonly string[], env: NodeJS.ProcessEnv): ReturnType<typeof run> {
  return run(process.execPath, [HOLDFAST, ...args], { env: { ...process.env, ...env } });
}

async function holdfastKnows(command: string): Promise<boolean> {
  return (await holdfast([command, '--help'], {})).stdout.startsWith(`Usage: holdfast ${command}`);
}

async function environmentOrReason(): Promise<Environment | string> {
  try {
    return await inspectEnvironment(await newestInspect());
  } catch (error) {
    if (error instanceof InspectUnavailableError) return error.message;
    throw error;
  }
}

/** A small generator, so that a failing run can be made again by its seed. */
function seeded(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
