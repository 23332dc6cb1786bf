// Proves Holdfast against the real Inspect: `npm run interop [-- --runs 6 --seed 7 --only words-of-a-step --keep]`.
//
// Installs the newest Inspect into a cache outside the tree, crashes real evals with SIGKILL, recovers each with both
// tools and compares; then reads logs written by `holdfast run` with everything that Inspect reads logs with, and compares
// what it reads, value by value. The shapes that our logs are held to are compared with Inspect's own models.
// Where PyPI cannot be reached it says so and ends with 0.

import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { errnoOf } from '../src/base/index.ts';
import { openBrowser } from './inspect/browser.ts';
import { readingDifferences } from './inspect/compare-dump.ts';
import { schemaDifferences } from './inspect/compare-schema.ts';
import {
  type Environment,
  InspectUnavailableError,
  inspectEnvironment,
  newestInspect,
  run,
} from './inspect/environment.ts';
import { type FeatureLogs, makeFeatureLogs } from './inspect/feature-logs.ts';
import {
  type LogReport,
  missingFrom,
  moreThan,
  reportLog,
  sampleKey,
  unequalNumbers,
} from './inspect/log-report.ts';
import { recoverRetries } from './inspect/retry-check.ts';
import { makeSharedLogs } from './inspect/shared-logs.ts';
import { type ViewedLog, viewProblems } from './inspect/view-check.ts';
import { openWorkplace, runPython, type Workplace } from './inspect/workplace.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const HOLDFAST = join(ROOT, 'bin/holdfast.js');

/** Where in its ledger a run dies, and how long after its beginning when it is killed from outside. */
const LINES_MAX = 900;
const OUTSIDE_MS_MAX = 6_000;

/** Logs whose very texts look like references; whether they are read back is seen in the dumps. */
const LOOKS_LIKE_REFERENCES = /_(?:hostile|endpoint|failing-program)_|merged\.eval$/;

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
  readonly crashes: { readonly place: Workplace; readonly isShared: boolean }[];
  readonly logs: ViewedLog[];
}

const STEPS: readonly Step[] = [
  { name: 'compare the shapes of documents with those of Inspect', run: compareShapes },
  { name: 'crash real runs of Inspect', run: crashRuns },
  { name: 'recover each with both tools', run: recoverBoth },
  { name: 'recover second attempts with both tools', run: recoverRetries },
  { name: 'read the logs of holdfast run with Inspect', run: readOurLogs },
  { name: 'read the logs of shared runs with Inspect', run: readSharedLogs },
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

/** How a run dies: at a line of its ledger, by its own hand, or from outside at any time. */
interface Death {
  readonly isShared: boolean;
  readonly atLine?: number;
  readonly afterMs?: number;
}

/** Half of the runs share their buffer as segments; half are killed from outside. */
async function crashRuns(context: Context): Promise<Outcome> {
  const { random } = context;
  const problems: string[] = [];
  for (let n = 0; n < context.runs; n++) {
    const place = await openWorkplace(join(context.dir, `crash-${n}`), context.environment);
    const isShared = n % 2 === 1;
    const isOutside = n % 4 >= 2;
    const death = isOutside
      ? { isShared, afterMs: Math.floor(random() * OUTSIDE_MS_MAX) }
      : { isShared, atLine: 20 + Math.floor(random() * LINES_MAX) };
    const finished = await crashRun(place, death);
    if (finished.signal === 'SIGKILL') context.crashes.push({ place, isShared });
    else if (isOutside && finished.exitCode === 0)
      continue; // It was quicker than its death.
    else problems.push(`run ${n} ended with ${finished.exitCode}: ${finished.stderr.slice(-500)}`);
  }
  return { checked: `${context.crashes.length} runs killed`, problems };
}

async function crashRun(place: Workplace, death: Death): Promise<Awaited<ReturnType<typeof run>>> {
  const args = ['run_eval.py', 'random-kill', '--log-dir', place.logDir, '--ledger', place.ledger];
  if (death.atLine !== undefined) args.push('--kill-at-line', String(death.atLine));
  if (death.isShared) args.push('--shared', '1');
  const { afterMs } = death;
  const onStart = (pid: number) => void (afterMs === undefined ? undefined : killLater(place, pid, afterMs));
  return runPython(place, args, { onStart });
}

/** Begins to count when the eval has committed its first event: before that there is nothing to recover. */
async function killLater({ ledger }: Workplace, pid: number, afterMs: number): Promise<void> {
  const size = async () => (await stat(ledger).catch(() => undefined))?.size ?? 0; // not there yet
  while ((await size()) === 0) await sleep(20);
  await sleep(afterMs);
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // On a quick machine it may have ended by then.
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

async function recoverBoth(context: Context): Promise<Outcome> {
  const [first] = context.crashes;
  if (first === undefined) return { skipped: 'no crashed run was made' };
  const problems: string[] = [];
  const more: Record<string, number> = { 'refused by Inspect': 0 };
  let count = 0;
  for (const { place, isShared } of context.crashes) {
    const name = basename(place.root);
    // What is shared can also be recovered where the database is not: on another machine.
    const elsewhere = { ...place, dataDir: join(place.root, 'nothing') };
    for (const [what, source] of isShared
      ? [['', place] as const, [' from segments', elsewhere] as const]
      : [['', place] as const]) {
      const found = await recoverOne(source, { isWhole: source === place, more });
      problems.push(...found.problems.map((problem) => `${name}${what}: ${problem}`));
      if (found.log !== undefined && context.logs.length === 0) context.logs.push(found.log);
      count++;
    }
  }
  const beyond = Object.entries(more).map(([what, n]) => `${n} ${what}`);
  return { checked: `${count} recoveries; ours holds beyond theirs: ${beyond.join(', ')}`, problems };
}

async function recoverOne(
  place: Workplace,
  { isWhole, more }: { readonly isWhole: boolean; readonly more: Record<string, number> },
): Promise<{ readonly problems: readonly string[]; readonly log?: ViewedLog }> {
  const [log = ''] = (await readdir(place.logDir)).filter((name) => name.endsWith('.eval'));
  const theirs = await recoverWithInspect(place, log);
  const output = join(place.root, isWhole ? 'ours' : 'ours-segments', log);
  const ours = await recoverWithHoldfast(place, log, output);
  if (typeof ours === 'string') return { problems: [ours] };
  const ledger = await readLedger(place);
  const problems = [...ours.problems, ...(isWhole ? missingFromLedger(ledger, ours) : [])];
  if (theirs === undefined) more['refused by Inspect'] = (more['refused by Inspect'] ?? 0) + 1;
  else {
    problems.push(...missingFrom(ours, theirs, messagesOf(ledger)), ...unequalNumbers(ours, theirs));
    for (const [what, n] of Object.entries(moreThan(ours, theirs))) more[what] = (more[what] ?? 0) + n;
  }
  return { problems, ...(ours.whole ? { log: { path: output, samples: ours.whole.samples } } : {}) };
}

async function recoverWithInspect(place: Workplace, log: string): Promise<LogReport | undefined> {
  const output = join(place.root, `theirs-${basename(place.dataDir)}`, log);
  await mkdir(dirname(output), { recursive: true });
  const args = ['log', 'recover', join(place.logDir, log), '--output', output, '--no-cleanup'];
  const finished = await runPython(place, ['-m', 'inspect_ai', ...args]);
  return finished.exitCode === 0 ? reportLog(place, output) : undefined;
}

/** Exit code 3 is fine here: a run that dies at any moment may well leave something half-made, which is then listed. */
async function recoverWithHoldfast(
  place: Workplace,
  log: string,
  output: string,
): Promise<LogReport | string> {
  await mkdir(dirname(output), { recursive: true });
  const args = ['recover', join(place.logDir, log), '--output', output, '--keep', '--force-dead', '--json'];
  const finished = await holdfast(args, { XDG_DATA_HOME: place.dataDir });
  if (finished.exitCode !== 0 && finished.exitCode !== 3)
    return `holdfast recover ended with ${finished.exitCode}: ${finished.stderr.trim()}`;
  return reportLog(place, output);
}

interface LedgerLine {
  readonly t: string;
  readonly id: string | number;
  readonly epoch: number;
  readonly uuid: string;
  readonly messages?: number | null;
  readonly samples?: readonly [string | number, number][];
}

/** A kill may cut the last line short. */
async function readLedger(place: Workplace): Promise<readonly LedgerLine[]> {
  const lines = (await readFile(place.ledger, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** How many messages a sample had when it ended. */
function messagesOf(ledger: readonly LedgerLine[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const line of ledger) {
    if (line.t === 'start') counts.delete(sampleKey(line));
    if (line.t === 'complete' && typeof line.messages === 'number')
      counts.set(sampleKey(line), line.messages);
  }
  return counts;
}

/**
 * Every event that Inspect had committed must be in our log. A sample that Inspect removed and did not start again
 * was flushed; the events of an attempt that it removed before a retry are gone from every source.
 */
function missingFromLedger(ledger: readonly LedgerLine[], ours: LogReport): string[] {
  const committed = new Map<string, Set<string>>();
  for (const line of ledger) {
    if (line.t === 'event') {
      const events = committed.get(sampleKey(line)) ?? new Set();
      committed.set(sampleKey(line), events.add(line.uuid));
    }
    for (const [id, epoch] of line.samples ?? []) committed.delete(sampleKey({ id, epoch }));
  }
  const held = new Map(ours.whole?.samples.map((sample) => [sampleKey(sample), new Set(sample.eventIds)]));
  return [...committed].flatMap(([key, events]) => {
    const lost = [...events].filter((id) => !held.get(key)?.has(id));
    return lost.length === 0
      ? []
      : [`sample ${key}: ${lost.length} of ${events.size} committed events are lost`];
  });
}

/** What we hold our logs to must be what Inspect reads, no more and no less. */
async function compareShapes(context: Context): Promise<Outcome> {
  const place = await openWorkplace(join(context.dir, 'shapes'), context.environment);
  const { compared, differences } = await schemaDifferences(place);
  return { checked: `${compared} shapes`, problems: differences };
}

/** Runs evals of ours that use everything there is, and reads their logs in each way that Inspect has. */
async function readOurLogs(context: Context): Promise<Outcome> {
  return readLogs(await makeFeatureLogs(join(context.dir, 'features')), context);
}

/** The same for what workers bring home. */
async function readSharedLogs(context: Context): Promise<Outcome> {
  const made = await makeSharedLogs(join(context.dir, 'shared'));
  return typeof made === 'string' ? { skipped: made } : readLogs(made, context);
}

async function readLogs({ logs, problems: failed }: FeatureLogs, context: Context): Promise<Outcome> {
  const place = await openWorkplace(join(context.dir, 'ours'), context.environment);
  const problems = [...failed];
  for (const path of logs) {
    const found = await logProblems(place, path, context);
    problems.push(...found.map((problem) => `${basename(dirname(path))}, ${basename(path)}: ${problem}`));
  }
  return { checked: `${logs.length} logs`, problems };
}

async function logProblems(place: Workplace, path: string, context: Context): Promise<string[]> {
  const verified = await holdfast(['log', 'verify', path], {});
  const dumped = await holdfast(['log', 'dump', path], {});
  if (dumped.exitCode !== 0)
    return [`holdfast log dump ended with ${dumped.exitCode}: ${dumped.stderr.trim()}`];
  const report = await reportLog(place, path);
  if (report.whole !== null) context.logs.push({ path, samples: report.whole.samples });
  return [
    ...(verified.exitCode === 0 ? [] : [`holdfast log verify says ${verified.stdout}`]),
    ...report.problems.filter(
      (problem) => !LOOKS_LIKE_REFERENCES.test(path) || !problem.endsWith('dangling references'),
    ),
    ...(await readingDifferences(place, path, dumped.stdout)),
  ];
}

async function openInViewer(context: Context): Promise<Outcome> {
  const [first] = context.logs;
  if (first === undefined) return { skipped: 'there is no log of ours to open' };
  const browser = await openBrowser();
  if (typeof browser === 'string') return { skipped: browser };
  try {
    const { python } = context.environment;
    const problems: string[] = [];
    for (const logDir of new Set(context.logs.map(({ path }) => dirname(path)))) {
      const logs = context.logs.filter(({ path }) => dirname(path) === logDir);
      problems.push(...(await viewProblems({ browser, python, logDir, logs })));
    }
    return { checked: `${context.logs.length} logs opened`, problems };
  } finally {
    await browser.close();
  }
}

function holdfast(args: readonly string[], env: NodeJS.ProcessEnv): ReturnType<typeof run> {
  return run(process.execPath, [HOLDFAST, ...args], { env: { ...process.env, ...env } });
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
