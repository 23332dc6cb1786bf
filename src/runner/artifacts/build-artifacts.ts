import type { ArtifactAccount } from '../account.ts';
import { openRows } from '../prepare-eval.ts';
import { runEval } from '../run-eval.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { artifactAccount } from './artifact-account.ts';
import { artifactsOfEval, type BuildWish } from './eval-artifacts.ts';

/** Makes ready what an eval requires, and runs nothing else of it: what `holdfast artifacts build` does. */
export async function buildArtifacts(
  task: RunTask,
  settings: RunSettings,
  build: BuildWish,
): Promise<ArtifactAccount> {
  const { disk, places } = settings;
  const dataset = await openRows(task, { disk, tempDir: places.state.path });
  try {
    const artifacts = await artifactsOfEval({ task, settings, dataset, runTask: runEval, build });
    // What is left to build goes on, and what it has cost counts then.
    if (artifacts?.all.every(({ state }) => state.kind === 'ready')) await artifacts.paid?.forget();
    for (const sentence of (await artifacts?.shared()) ?? []) task.observer?.onNote?.(sentence);
    return artifactAccount(artifacts ?? { all: [], spentUsd: 0, spentTokens: 0 });
  } finally {
    await dataset.close();
  }
}
