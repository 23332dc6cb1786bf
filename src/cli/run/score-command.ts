import { resolve } from 'node:path';
import {
  definedOf,
  type JsonObject,
  systemClock,
  systemRandom,
  toJson,
  UsageError,
} from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { normalizeEval, type PlannedEval } from '../../evals/index.ts';
import type { LogReader } from '../../log/index.ts';
import { placesOf, type RescoreReport, rescoreLog } from '../../runner/index.ts';
import {
  BudgetExhausted,
  createBudget,
  createCallLimiter,
  createModels,
  type LanguageModel,
} from '../../targets/index.ts';
import { cacheDirOf } from '../artifacts/artifact-place.ts';
import type { CommandCall } from '../command.ts';
import type { ScoreFlags } from '../commands/score.ts';
import { findEvalFiles } from '../eval-files/find-eval-files.ts';
import { type LoadedEval, loadEvalFile } from '../eval-files/load-eval-file.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { folderOf, logPlaceOf, openNamedLog } from '../logs/log-place.ts';
import { findPublished, type PublishedRun } from '../logs/named-log.ts';
import { counted } from '../quantities.ts';
import {
  autoPublish,
  checkRequiredPush,
  exitCodeAfter,
  type PublishReport,
  publishedJson,
  sayPublished,
} from '../results/auto-publish.ts';
import { shortPath } from '../short-path.ts';
import type { Terminal } from '../terminal.ts';
import { resultLines, scorerSentences } from './account-report.ts';
import { limitsOf } from './call-limits.ts';
import { readPrices } from './prices-file.ts';
import { listenForStop } from './stop-control.ts';

const CONCURRENCY = 20;
const SAY_EVERY = 500;

export async function scoreCommand(call: CommandCall<ScoreFlags>): Promise<ExitCode> {
  const { flags, terminal } = call;
  await checkRequiredPush(call);
  const given = String(call.args[0]);
  await using published = await findPublished(given, flags, terminal);
  const places = published
    ? await placesForPublished(published, flags, terminal)
    : await placesFor(given, flags, terminal);
  const loaded = await evalFor(flags.eval, places.open, terminal);
  const planned = normalizeEval(loaded.definition);
  const stop = listenForStop({
    onDrain: () =>
      terminal.note('Stopping: no log is written; what graders answered is kept for the next time.'),
    onAbort: () => undefined,
    note: terminal.note,
    exitCode: EXIT.interrupted,
  });
  try {
    const report = await rescoreLog({
      disk: nodeDisk,
      clock: systemClock,
      random: systemRandom,
      ...places,
      eval: planned,
      baseDir: loaded.baseDir,
      code: loaded.code,
      artifactsDir: await cacheDirOf(flags, terminal.cwd),
      models: await modelsFor({ ...loaded, planned }, call),
      concurrency: flags.concurrency ?? planned.concurrency ?? CONCURRENCY,
      action: flags.action,
      signal: stop.signals.drain,
      onProgress: (done, total) => {
        if (done % SAY_EVERY === 0 && done < total) terminal.note(`${done}/${total} samples scored`);
      },
    });
    const ownCode = report.scorerTroubles.length > 0 ? EXIT.failed : EXIT.ok;
    const kept = await autoPublish(places.sealed, call);
    show(report, kept, call);
    return exitCodeAfter(ownCode, kept, flags);
  } catch (error) {
    if (stop.count > 0) return EXIT.interrupted;
    if (!(error instanceof BudgetExhausted)) throw error;
    terminal.note(`${error.message} No log was written; what graders answered is kept for the next time.`);
    terminal.note(error.hint);
    return EXIT.interrupted;
  } finally {
    stop.dispose();
  }
}

/** Where the log is, where the new one goes, and where the workspaces of its samples are. */
async function placesFor(given: string, flags: ScoreFlags, { cwd }: Terminal) {
  const from = await logPlaceOf(given, cwd);
  const scored = `${given.replace(/\.(?:eval|json)$/, '')}-scored.eval`;
  const to = await logPlaceOf(flags.output ?? scored, cwd);
  if (await to.logs.stat(to.name)) throw exists(shortPath(to.place, cwd));
  const { state } = await placesOf(nodeDisk, { logDir: folderOf(given), workDir: cwd });
  const open = () => openNamedLog(given, cwd);
  const sealed = { logs: to.logs, name: to.name };
  return { from: from.place, to: to.place, open, into: to.logs, state, sealed };
}

/** A published run has no place of its own: the new log goes into the log directory, from where it can be published. */
async function placesForPublished({ store, found }: PublishedRun, flags: ScoreFlags, { cwd }: Terminal) {
  const { name } = found.revision.row.log;
  const folder = flags.logDir.replace(/\/$/, '');
  const scored = `${folder}/${name.replace(/\.(?:eval|json)$/, '')}-scored.eval`;
  const to = await logPlaceOf(flags.output ?? scored, cwd);
  if (await to.logs.stat(to.name)) throw exists(shortPath(to.place, cwd));
  const { state } = await placesOf(nodeDisk, { logDir: flags.logDir, workDir: cwd });
  const sealed = { logs: to.logs, name: to.name };
  return { from: name, to: to.place, open: () => store.open(found), into: to.logs, state, sealed };
}

/** A file may hold several evals: the one that made the log is meant, else the only one. */
async function evalFor(
  pattern: string,
  open: () => Promise<LogReader>,
  { cwd }: Terminal,
): Promise<LoadedEval> {
  const files = await findEvalFiles([pattern], { disk: nodeDisk, cwd });
  const evals: LoadedEval[] = [];
  for (const file of files) evals.push(...(await loadEvalFile(file, { disk: nodeDisk, cwd })));
  if (evals.length === 1 && evals[0]) return evals[0];
  const log = await open();
  try {
    const { task } = (await log.header()).eval;
    const same = evals.find(({ definition }) => definition.name === task);
    if (same) return same;
    throw new UsageError({
      code: 'E_EVAL_CHOICE',
      message: `${pattern} holds ${evals.length} evals, and none is called "${task}" as in the log.`,
      hint: `Name a file with one eval; there are ${evals.map(({ definition }) => definition.name).join(', ')}.`,
    });
  } finally {
    await log.close();
  }
}

async function modelsFor(
  loaded: LoadedEval & { readonly planned: PlannedEval },
  call: CommandCall<ScoreFlags>,
) {
  const { flags, terminal } = call;
  const { models } = loaded.definition;
  return createModels({
    env: terminal.env,
    concurrency: flags.concurrency ?? loaded.planned.concurrency ?? CONCURRENCY,
    budget: createBudget(flags.budget, { allowUnpriced: flags.allowUnpriced ?? false }),
    limiter: createCallLimiter((await limitsOf(call)) ?? {}, systemClock),
    projectDir: loaded.baseDir,
    redact: loaded.planned.redact,
    onUnknownPrice: (model) =>
      terminal.note(`The price of ${model} is not known, so its cost is not counted.`),
    ...(models ? { scripted: models as Readonly<Record<string, LanguageModel>> } : {}),
    ...definedOf({ baseUrl: flags.baseUrl }),
    prices: {
      ...loaded.prices,
      ...loaded.definition.prices,
      ...(flags.prices === undefined ? {} : await readPrices(nodeDisk, resolve(terminal.cwd, flags.prices))),
    },
  });
}

function show(
  report: RescoreReport,
  published: PublishReport | undefined,
  { flags, terminal }: CommandCall<ScoreFlags>,
): void {
  if (flags.json) {
    terminal.json({ ...(toJson(report) as JsonObject), ...publishedJson(published) });
    return;
  }
  const copied = report.copied > 0 ? `, ${report.copied} with errors copied` : '';
  terminal.line(`${counted(report.scored, 'sample')} scored${copied}`);
  for (const line of resultLines(report.results)) terminal.line(line);
  for (const sentence of scorerSentences(report)) terminal.line(terminal.style.bad(sentence));
  terminal.line(terminal.style.accent(shortPath(report.logPath, terminal.cwd)));
  sayPublished(published, terminal);
}

function exists(path: string): UsageError {
  return new UsageError({
    code: 'E_FILE_EXISTS',
    message: `${path} exists already.`,
    hint: 'Name another file with --output.',
  });
}
