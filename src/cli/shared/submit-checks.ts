import { resolve } from 'node:path';
import { DamageError, packageVersion, systemClock, systemRandom, UsageError } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { type Bundle, refuseUninstallable } from '../../bundle/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { CodeRevision } from '../../git/index.ts';
import { type Forecast, type PlannedItem, type PreparedSet, prepareSet } from '../../runner/index.ts';
import { cacheDirOf } from '../artifacts/artifact-place.ts';
import { projectBundle } from '../bundle/project-bundle.ts';
import type { CommandCall } from '../command.ts';
import type { SubmitFlags } from '../commands/submit.ts';
import { checkBucket } from '../doctor/check-bucket.ts';
import { codeFilesOf } from '../eval-files/code-files.ts';
import type { LoadedEval } from '../eval-files/load-eval-file.ts';
import { checkRequiredPush } from '../results/auto-publish.ts';
import { PublishedRuns } from '../results/earlier-logs.ts';
import { limitsOf } from '../run/call-limits.ts';
import { changesOf, modelsOf } from '../run/change-options.ts';
import { codeOfRun } from '../run/code-of-run.ts';
import { readPrices } from '../run/prices-file.ts';
import { withSignalsUnheard } from '../signals-unheard.ts';
import type { Terminal } from '../terminal.ts';
import { fileInBundle, refuseFilesLeftOut } from './files-in-bundle.ts';
import { refuseSubmitted } from './refuse-submitted.ts';
import { redactOf } from './session-command.ts';
import type { OpenedPlace } from './shared-place.ts';
import { keysOf } from './submit-keys.ts';

export interface Checked {
  readonly set: PreparedSet;
  readonly bundle: Bundle;
  /** What the log says that was run. */
  readonly revision: CodeRevision | undefined;
  /** Names of the variables that each of them needs. */
  readonly keys: ReadonlyMap<PlannedItem, readonly string[]>;
}

/** Everything that can be refused, before anything is uploaded or enqueued: as a run of one machine refuses it. */
export async function checkSubmission(
  call: CommandCall<SubmitFlags>,
  { evals, place }: { readonly evals: readonly LoadedEval[]; readonly place: OpenedPlace },
): Promise<Checked> {
  const { flags, terminal } = call;
  refuseValues(flags);
  refuseUnheeded(flags);
  await checkRequiredPush(call);
  const options = await setOptions(call, evals, place);
  // Data and recipes are code of the eval.
  const { set, forecasts } = await withSignalsUnheard(async () => {
    const prepared = await prepareSet(options);
    return { set: prepared, forecasts: await prepared.forecast() };
  });
  for (const forecast of forecasts) refuseWithoutArtifacts(forecast, terminal);
  const keys = new Map(
    set.items.map((item, at) => [
      item,
      keysOf(item, { forecast: forecasts[at], key: flags.key, env: terminal.env }),
    ]),
  );
  const bundle = await projectBundle(terminal, await call.settings());
  if (bundle.isDirty && flags.detach && !flags.allowDirty) throw dirty(bundle);
  for (const item of set.items) {
    fileInBundle(item, bundle, terminal.cwd);
    await refuseFilesLeftOut(item, bundle, terminal.cwd);
  }
  await refuseBadBucket(place, terminal.cwd);
  if (!flags.fresh && !flags.again) await refuseSubmitted(forecasts, place);
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: terminal.env };
  await refuseUninstallable(bundle, { place, ports });
  return { set, bundle, revision: await revisionOf(bundle, terminal, evals), keys };
}

/** What goes to workers is more than what this process has loaded: the record of the run is dirty when either is. */
async function revisionOf(
  { isDirty }: Bundle,
  { cwd, env }: Terminal,
  evals: readonly LoadedEval[],
): Promise<CodeRevision | undefined> {
  const revision = await codeOfRun({ cwd, env }, codeFilesOf(evals, cwd));
  return revision && { ...revision, isDirty: isDirty || revision.isDirty };
}

async function setOptions(
  call: CommandCall<SubmitFlags>,
  evals: readonly LoadedEval[],
  place: OpenedPlace,
): Promise<Parameters<typeof prepareSet>[0]> {
  const { flags, terminal } = call;
  const { cwd, env } = terminal;
  return {
    ...{ evals, env, workDir: cwd, logDir: flags.logDir, version: packageVersion() },
    models: modelsOf(flags),
    changes: { ...changesOf(flags), ...(await redactOf(call)) },
    earlierLogs: new PublishedRuns({}, terminal),
    artifactsDir: await cacheDirOf(flags, cwd),
    artifactStore: place.store,
    ...{ reuse: flags.fresh ? 'none' : flags.reuse, keepOutputs: flags.keepOutputs },
    ...{ budgetUsd: flags.budget, allowUnpriced: flags.allowUnpriced, baseUrl: flags.baseUrl },
    prices: flags.prices === undefined ? undefined : await readPrices(nodeDisk, resolve(cwd, flags.prices)),
    limits: await limitsOf(call),
    onNote: terminal.note,
  };
}

/** What a run of one machine would end with for want of an artifact is known before anything is uploaded. */
function refuseWithoutArtifacts({ notes, damage, artifacts }: Forecast, { note }: Terminal): void {
  for (const sentence of [...notes, ...damage]) note(sentence);
  const [first] = artifacts?.unavailable ?? [];
  if (!first) return;
  const { code, reason, hint } = first;
  const about = { code, message: reason, hint };
  throw damage.length > 0 && code === 'E_ARTIFACT_DAMAGED' ? new DamageError(about) : new UsageError(about);
}

/** A bucket that cannot create if absent would lose results: that is tried, not believed. */
async function refuseBadBucket({ url, bucket }: OpenedPlace, cwd: string): Promise<void> {
  const dir = isBucketUrl(url) ? undefined : url;
  const checks = await checkBucket(url, { disk: nodeDisk, scratch: cwd, dir });
  const bad = checks.find(({ status }) => status === 'fail');
  if (!bad) return;
  throw new UsageError({
    code: 'E_SHARED_BUCKET',
    message: `${bucket.url} cannot hold shared runs: ${bad.detail}.`,
    hint: bad.next ?? 'Run "holdfast doctor" with it.',
  });
}

function refuseUnheeded({ detach, requirePush }: SubmitFlags): void {
  if (detach && requirePush)
    throw new UsageError({
      code: 'E_USAGE',
      message: '--require-push is for who waits until the log is here, and --detach does not.',
      hint: 'Leave it out, and give it to "holdfast runs fetch".',
    });
}

/** Names of variables are submitted, values never: whoever gives a value by mistake is told before it goes anywhere. */
function refuseValues({ key = [] }: SubmitFlags): void {
  if (key.every((name) => /^[A-Za-z_]\w{0,99}$/.test(name))) return;
  throw new UsageError({
    code: 'E_USAGE',
    message: 'What --key gives is not the name of a variable.',
    hint: 'Name the variable, such as OPENAI_API_KEY, and never its value: that is the worker’s own.',
  });
}

function dirty({ dirtyFiles }: Bundle): UsageError {
  return new UsageError({
    code: 'E_BUNDLE_DIRTY',
    message: `The code that would run is in no commit: ${dirtyFiles.slice(0, 5).join(', ')}${dirtyFiles.length > 5 ? ', …' : ''}.`,
    hint: 'Commit it, or submit with --allow-dirty, which marks the run.',
  });
}
