import { resolve } from 'node:path';
import { definedOf, packageVersion, systemClock, toJson } from '../../base/index.ts';
import { type OutlineFile, openOutlineFile } from '../../code/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import {
  type Elsewhere,
  type EvalChanges,
  type Forecast,
  type ItemOutcome,
  type PlannedItem,
  type PreparedSet,
  placesOf,
  prepareSet,
  type RunEvalsOptions,
} from '../../runner/index.ts';
import { cacheDirOf } from '../artifacts/artifact-place.ts';
import type { CommandCall } from '../command.ts';
import type { RunFlags } from '../commands/run.ts';
import { codeFilesOf } from '../eval-files/code-files.ts';
import { findEvalFiles } from '../eval-files/find-eval-files.ts';
import { type LoadedEval, loadEvalFile } from '../eval-files/load-eval-file.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { counted, formatDuration } from '../quantities.ts';
import { errorText } from '../report-error.ts';
import {
  autoPublish,
  checkRequiredPush,
  exitCodeAfter,
  publishedJson,
  sayPublished,
} from '../results/auto-publish.ts';
import { PublishedRuns } from '../results/earlier-logs.ts';
import { withSignalsUnheard } from '../signals-unheard.ts';
import type { Terminal } from '../terminal.ts';
import { accountJson, accountLines } from './account-report.ts';
import { limitsOf } from './call-limits.ts';
import { captureConsole } from './capture-console.ts';
import { changesOf, modelsOf } from './change-options.ts';
import { codeOfRun } from './code-of-run.ts';
import { exitCodeOfSet, nextSteps } from './next-steps.ts';
import { plainProgress } from './plain-progress.ts';
import { readPrices } from './prices-file.ts';
import { describeForecast, type Progress, runTitle } from './progress.ts';
import { RunView } from './run-view.ts';
import { listenForStop } from './stop-control.ts';
import { StrayErrors } from './stray-errors.ts';
import type { Workers, WorkersAbout } from './workers.ts';

const GRACE_MS = 30_000;
const UNCAUGHT = 'an error outside of any sample';

/** `holdfast run`: reads evals, runs the set under watch, and ends with the account. */
export async function runCommand(call: CommandCall<RunFlags>): Promise<ExitCode> {
  const strays = new StrayErrors(call.terminal); // Loading an eval file runs its code already.
  const outlines = await openOutlines(call);
  const evals = await loadEvals(call.args[0] as readonly string[], { cwd: call.terminal.cwd, outlines });
  const exitCode = await runLoaded({
    evals,
    call,
    command: 'run',
    changes: changesOfRun(call.flags),
    strays,
  });
  // A dry run writes nothing, not even a cache.
  if (!call.flags.dryRun) await outlines.save();
  return exitCode;
}

/** What was read of code before, beside the logs. It is written only where a run has been. */
async function openOutlines({ flags, terminal }: CommandCall<RunFlags>): Promise<OutlineFile> {
  const { state } = await placesOf(nodeDisk, { logDir: flags.logDir, workDir: terminal.cwd });
  const file = await openOutlineFile(nodeDisk, state.codeOutlines);
  return {
    ...file,
    save: async () => {
      if (await nodeDisk.stat(state.path)) await file.save();
    },
  };
}

/** Evals that have been read, and under which command they are run: `holdfast retry` ends here, too. */
export interface LoadedRun {
  readonly evals: readonly LoadedEval[];
  readonly call: CommandCall<RunFlags>;
  /** What goes on with an unfinished run: this command with the same words. */
  readonly command: 'run' | 'retry';
  readonly changes: EvalChanges;
  readonly strays?: StrayErrors;
}

export async function runLoaded({ evals, call, command, changes, strays }: LoadedRun): Promise<ExitCode> {
  const { flags, terminal } = call;
  if (!flags.dryRun) await checkRequiredPush(call);
  const notes: string[] = [];
  let onNote: (text: string) => void = (text) => void notes.push(text);
  await using earlierLogs = new PublishedRuns(flags, terminal);
  const options = await optionsOf(flags, terminal, evals);
  const limits = await limitsOf(call);
  // Data and recipes are code of the eval.
  const set = await withSignalsUnheard(() =>
    prepareSet({ ...options, limits, earlierLogs, changes, evals, onNote: (text) => onNote(text) }),
  );
  if (flags.workerSession) return (await import('./workers.ts')).serveAsWorker(set, terminal.env);
  if (flags.dryRun) {
    const forecasts = await set.forecast();
    for (const note of notes) terminal.note(note);
    return sayForecasts(forecasts, call);
  }
  const watched = await watchSet(set, call, strays ?? new StrayErrors(terminal));
  onNote = watched.progress.note;
  for (const note of notes) onNote(note);
  const startedMs = systemClock.monotonicMs();
  await using workers = await openWorkers(call, { command, set, onLine: watched.progress.note });
  const { outcomes, wasStopped } = await runWatched(set, watched, { ...flags, elsewhere: workers?.pool });
  const elapsedMs = systemClock.monotonicMs() - startedMs;
  return await conclude(outcomes, { call, command, set, wasStopped, elapsedMs });
}

/** What starts processes is loaded only where some are wanted. */
async function openWorkers(call: CommandCall<RunFlags>, about: WorkersAbout): Promise<Workers | undefined> {
  const { workers } = call.flags;
  const isWanted = workers !== undefined || about.set.items.some((item) => item.eval.isIsolated);
  return isWanted ? (await import('./workers.ts')).startWorkers(call, { ...about, workers }) : undefined;
}

export async function loadEvals(
  patterns: readonly string[],
  about: { readonly cwd: string; readonly outlines?: OutlineFile },
): Promise<readonly LoadedEval[]> {
  const files = await findEvalFiles(patterns, { disk: nodeDisk, cwd: about.cwd });
  const evals: LoadedEval[] = [];
  for (const file of files) evals.push(...(await loadEvalFile(file, { disk: nodeDisk, ...about })));
  return evals;
}

type SetOptions = Omit<RunEvalsOptions, 'evals' | 'changes' | 'onNote' | 'earlierLogs'>;

async function optionsOf(
  flags: RunFlags,
  { cwd, env }: Terminal,
  evals: readonly LoadedEval[],
): Promise<SetOptions> {
  return {
    models: modelsOf(flags),
    logDir: flags.logDir,
    workDir: cwd,
    artifactsDir: await cacheDirOf(flags, cwd),
    artifactStore: flags.store || undefined,
    env,
    version: packageVersion(),
    revision: flags.dryRun ? undefined : await codeOfRun({ cwd, env }, codeFilesOf(evals, cwd)),
    reuse: flags.fresh ? 'none' : flags.reuse,
    keepOutputs: flags.keepOutputs,
    graceMs: flags.grace ?? GRACE_MS,
    forceDead: flags.forceDead,
    segments: flags.segments,
    concurrency: flags.concurrency,
    budgetUsd: flags.budget,
    allowUnpriced: flags.allowUnpriced,
    attempts: flags.attempts,
    isDryRun: flags.dryRun,
    baseUrl: flags.baseUrl,
    prices: flags.prices === undefined ? undefined : await readPrices(nodeDisk, resolve(cwd, flags.prices)),
  };
}

function changesOfRun(flags: RunFlags): EvalChanges {
  return { ...changesOf(flags), ...definedOf({ shard: flags.shard, redact: flags.redact }) };
}

/** `--dry-run`: what would happen, and nothing else. */
function sayForecasts(forecasts: readonly Forecast[], { flags, terminal }: CommandCall<RunFlags>): ExitCode {
  const exitCode = exitCodeOfForecasts(forecasts);
  if (flags.json) terminal.json({ exitCode, forecasts: toJson(forecasts) });
  else
    for (const forecast of forecasts) {
      const title = runTitle(forecast.eval, forecast.target);
      terminal.line(
        `${terminal.style.bold(title)}  ${forecast.planned} planned: ${describeForecast(forecast)}`,
      );
      for (const note of forecast.notes) terminal.line(note);
      for (const sentence of forecast.damage) terminal.line(terminal.style.bad(sentence));
    }
  return exitCode;
}

/** What the runs would end with for want of artifacts: that is known before they begin. */
function exitCodeOfForecasts(forecasts: readonly Forecast[]): ExitCode {
  const refused = forecasts.filter((forecast) => forecast.refused > 0);
  const codes = refused.flatMap(({ artifacts }) => artifacts?.unavailable.map(({ code }) => code) ?? []);
  if (codes.includes('E_ARTIFACT_DAMAGED')) return EXIT.damage;
  return refused.length > 0 ? EXIT.failed : EXIT.ok;
}

interface Watched {
  readonly views: ReadonlyMap<PlannedItem, RunView>;
  readonly progress: Progress;
  readonly strays: StrayErrors;
  /** For what must be said also where no progress is shown. */
  readonly warn: (text: string) => void;
}

async function watchSet(
  set: PreparedSet,
  call: CommandCall<RunFlags>,
  strays: StrayErrors,
): Promise<Watched> {
  const views = new Map(
    set.items.map((item) => [
      item,
      new RunView({ name: item.eval.name, target: item.model ?? '' }, systemClock, (view, change) =>
        progress.onChange(view, change),
      ),
    ]),
  );
  const progress = await openProgress(set, [...views.values()], call);
  return { views, progress, strays, warn: call.flags.quiet ? call.terminal.note : progress.note };
}

async function openProgress(
  set: PreparedSet,
  views: readonly RunView[],
  { flags, terminal }: CommandCall<RunFlags>,
): Promise<Progress> {
  if (flags.quiet) return { onChange: () => undefined, note: () => undefined, close: () => undefined };
  if (!terminal.isLive) return plainProgress(terminal, views, systemClock);
  // What draws screens takes a while to load, and builds do without it.
  const { liveScreen } = await import('./live-screen.ts');
  return liveScreen(terminal, views, set.gates);
}

async function runWatched(
  set: PreparedSet,
  { views, progress, strays, warn }: Watched,
  { grace: graceMs = GRACE_MS, elsewhere }: RunFlags & { readonly elsewhere: Elsewhere | undefined },
): Promise<{ readonly outcomes: readonly ItemOutcome[]; readonly wasStopped: boolean }> {
  const stop = listenForStop({
    onDrain: (reason) =>
      progress.note(
        `Stopping (${reason}): ${underWay([...views.values()])} may finish within ${formatDuration(graceMs)}. Press Ctrl-C ${reason === UNCAUGHT ? '' : 'again '}to stop at once.`,
      ),
    onAbort: () => progress.note('Stopping now. Nothing that was paid for is lost.'),
    note: warn,
    exitCode: EXIT.interrupted,
  });
  strays.watch({ note: warn, onUncaught: () => stop.drain(UNCAUGHT) });
  const restoreConsole = captureConsole(progress.note);
  try {
    const outcomes = await set.run({
      signals: stop.signals,
      elsewhere,
      observerFor: (item) => views.get(item),
      onNextAttempt: (attempt, waitMs) =>
        progress.note(`Something is missing: attempt ${attempt} begins in ${formatDuration(waitMs)}.`),
    });
    return { outcomes, wasStopped: stop.count > 0 };
  } finally {
    restoreConsole();
    strays.watch({ note: warn, onUncaught: () => undefined }); // There is nothing to stop any more.
    stop.dispose();
    progress.close();
  }
}

/** `2 running builds and 3 running samples` */
function underWay(views: readonly RunView[]): string {
  const count = (key: 'building' | 'running') => views.reduce((sum, view) => sum + view[key], 0);
  const [builds, samples] = [count('building'), count('running')];
  const parts = [
    ...(builds > 0 ? [counted(builds, 'running build')] : []),
    ...(samples > 0 || builds === 0 ? [counted(samples, 'running sample')] : []),
  ];
  return parts.join(' and ');
}

interface Conclusion {
  readonly call: CommandCall<RunFlags>;
  readonly command: LoadedRun['command'];
  readonly set: PreparedSet;
  readonly wasStopped: boolean;
  readonly elapsedMs: number;
}

async function conclude(outcomes: readonly ItemOutcome[], conclusion: Conclusion): Promise<ExitCode> {
  const { call, command, set, wasStopped, elapsedMs } = conclusion;
  const { terminal, flags } = call;
  const ownCode = exitCodeOfSet(outcomes, wasStopped);
  const words = [command, ...call.words];
  const next = nextSteps(outcomes, { words, logDir: set.places.logDir, cwd: terminal.cwd });
  for (const { item, error } of outcomes) {
    if (error === undefined) continue;
    const about = item.file ?? item.eval.name;
    terminal.note(errorText(error, terminal, { isVerbose: flags.verbose ?? false, about }));
  }
  // What was done is told before anything more is begun; the one document of --json tells both.
  if (!flags.json) for (const line of accountLines(outcomes, terminal)) terminal.line(line);
  const published = await autoPublish(set.places, call);
  const exitCode = exitCodeAfter(ownCode, published, flags);
  if (flags.json) {
    terminal.json({
      exitCode,
      elapsedMs: Math.round(elapsedMs),
      ...accountJson(outcomes),
      ...publishedJson(published),
      next: next.map((step) => ({ ...step })),
    });
    return exitCode;
  }
  sayPublished(published, terminal);
  if (next.length > 0) terminal.line();
  for (const step of next) terminal.line(`${step.what}: ${terminal.style.bold(step.command)}`);
  return exitCode;
}
