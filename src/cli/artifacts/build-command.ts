import { resolve } from 'node:path';
import type { UnitRecipe } from '../../artifacts/index.ts';
import { packageVersion, toJson, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { artifactName } from '../../evals/index.ts';
import { type BuildWish, type ItemArtifacts, prepareSet } from '../../runner/index.ts';
import type { CommandCall } from '../command.ts';
import type { BuildFlags } from '../commands/artifacts-build.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { formatUsd } from '../quantities.ts';
import { errorJson, errorText } from '../report-error.ts';
import { artifactLines } from '../run/artifact-lines.ts';
import { limitsOf } from '../run/call-limits.ts';
import { readPrices } from '../run/prices-file.ts';
import { loadEvals } from '../run/run-command.ts';
import { listenForStop } from '../run/stop-control.ts';
import { cacheDirOf } from './artifact-place.ts';

/** `holdfast artifacts build`: the builds of a run, without the run. */
export async function buildCommand(call: CommandCall<BuildFlags>): Promise<ExitCode> {
  const { args, flags, terminal } = call;
  const { cwd, env } = terminal;
  const evals = await loadEvals(args[0] as readonly string[], { cwd });
  const note = (text: string) => (flags.quiet ? undefined : terminal.note(text));
  const set = await prepareSet({
    evals,
    ...{ workDir: cwd, env, version: packageVersion() },
    artifactsDir: await cacheDirOf(flags, cwd),
    artifactStore: flags.store || undefined,
    // Nothing is written beside the logs.
    isDryRun: true,
    budgetUsd: flags.budget,
    limits: await limitsOf(call),
    allowUnpriced: flags.allowUnpriced,
    baseUrl: flags.baseUrl,
    graceMs: flags.grace,
    changes: flags.redact ? { redact: flags.redact } : {},
    prices: flags.prices === undefined ? undefined : await readPrices(nodeDisk, resolve(cwd, flags.prices)),
    onNote: note,
  });
  const wish = wishOf(flags);
  const stop = listenForStop({
    onDrain: (reason) =>
      note(`Stopping (${reason}): builds under way may finish. Press Ctrl-C again to stop at once.`),
    onAbort: () => note('Stopping now. Nothing that was paid for is lost.'),
    note,
    exitCode: EXIT.interrupted,
  });
  try {
    const made = await set.buildArtifacts(wish, {
      signals: stop.signals,
      observerFor: () => ({ onNote: note }),
    });
    wish.refuseUnknown(made);
    return conclude(made, call, stop.count > 0);
  } finally {
    stop.dispose();
  }
}

interface NamedWish extends BuildWish {
  /** A name that no eval requires is a slip of the pen. */
  refuseUnknown(made: readonly ItemArtifacts[]): void;
}

function wishOf({ rebuild }: BuildFlags): NamedWish {
  const names = Array.isArray(rebuild) ? (rebuild as readonly string[]) : [];
  const met = new Set<string>();
  return {
    isRebuilt: (unit: UnitRecipe) => {
      if (rebuild === undefined || rebuild === true) return rebuild === true;
      const found = names.filter((name) => name === unit.kind || name === artifactName(unit));
      for (const name of found) met.add(name);
      return found.length > 0;
    },
    refuseUnknown: (made) => {
      const missing = names.find((name) => !met.has(name));
      if (missing === undefined || made.some(({ error }) => error !== undefined)) return;
      throw new UsageError({
        code: 'E_ARTIFACT_UNKNOWN',
        message: `No eval that was named requires ${JSON.stringify(missing)}.`,
        hint: 'Name a kind, or <kind>/<key>, as "holdfast artifacts list" shows it.',
      });
    },
  };
}

function conclude(
  made: readonly ItemArtifacts[],
  { flags, terminal }: CommandCall<BuildFlags>,
  wasStopped: boolean,
): ExitCode {
  const exitCode = exitCodeOf(made, wasStopped);
  if (flags.json) {
    const items = made.map(({ item, account, error }) => ({
      eval: item.eval.name,
      ...(account && { artifacts: account }),
      ...(error !== undefined && { error: errorJson(error) }),
    }));
    terminal.json(toJson({ exitCode, evals: items }));
    return exitCode;
  }
  for (const { item, account, error } of made) {
    if (error !== undefined)
      terminal.note(
        errorText(error, terminal, { isVerbose: flags.verbose ?? false, about: item.file ?? item.eval.name }),
      );
    if (!account) continue;
    for (const { unit, generation, usd } of account.built)
      terminal.line(`${unit}  ${terminal.style.dim(generation)}  ${usd === null ? '?' : formatUsd(usd)}`);
    for (const line of artifactLines({ artifacts: account })) terminal.line(line);
    if (artifactLines({ artifacts: account }).length === 0)
      terminal.line(`${item.eval.name} requires no artifacts.`);
  }
  return exitCode;
}

function exitCodeOf(made: readonly ItemArtifacts[], wasStopped: boolean): ExitCode {
  if (made.some(({ error }) => error instanceof UsageError)) return EXIT.usage;
  const reasons = made.flatMap(({ account }) => account?.unavailable ?? []);
  const isUnfinished = reasons.length > 0 || made.some(({ error }) => error !== undefined);
  if (wasStopped && isUnfinished) return EXIT.interrupted;
  if (reasons.some(({ code }) => code === 'E_ARTIFACT_DAMAGED')) return EXIT.damage;
  if (reasons.some(({ isStopped }) => isStopped)) return EXIT.interrupted;
  return isUnfinished ? EXIT.failed : EXIT.ok;
}
