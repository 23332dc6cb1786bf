import { ActionableError } from '../../base/index.ts';
import type { Bucket } from '../../bucket/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import { ArtifactShelf } from './artifact-shelf.ts';
import { lookForAll } from './make-ready.ts';
import { needsOfRows } from './row-needs.ts';
import { type NeededArtifact, RunArtifacts } from './run-artifacts.ts';

export interface ForOthersOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  readonly dataset: Dataset;
  /** From where the others take them. */
  readonly store: Bucket;
}

/**
 * What is there of all that the samples of an eval need, for others who run them: found here, in the stores and in the seeds,
 * verified, and in `store` when this resolves. Nothing is built. What a run would refuse is refused before anything is sent.
 */
export async function artifactsForOthers(options: ForOthersOptions): Promise<RunArtifacts | undefined> {
  const { task, settings, dataset, store } = options;
  const { requires } = task.eval;
  if (!requires) return undefined;
  const needs = await needsOfRows(requires, dataset);
  const { store: own } = settings.artifacts;
  const shelf = new ArtifactShelf({
    task,
    settings: { ...settings, artifacts: { ...settings.artifacts, store } },
    lenders: own && own.url !== store.url ? [own] : [],
    pins: new Map(),
    builder: undefined,
    onNote: (text) => task.observer?.onNote?.(text),
  });
  const wanted = await lookForAll(needs.all, shelf, options);
  const needed: NeededArtifact[] = [];
  for (const { plan } of wanted) needed.push({ plan, state: await shelf.ready(plan) });
  const all = await shelf.all();
  for (const { state } of all) if (state.kind === 'unavailable') throw state.error;
  await send(all, shelf, store);
  return new RunArtifacts({ needed, all, spentUsd: 0, spentTokens: 0 }, needs);
}

async function send(all: readonly NeededArtifact[], { supply }: ArtifactShelf, store: Bucket): Promise<void> {
  const ready = all.flatMap(({ plan, state }) =>
    state.kind === 'ready' ? [{ plan, generation: state.generation }] : [],
  );
  if (ready.length === 0) return;
  supply.share(ready);
  const unsent = await supply.settled();
  if (unsent.length === 0) return;
  throw new ActionableError({
    code: 'E_ARTIFACT_UNSENT',
    message: `Artifacts that samples need did not come into ${store.url}, where workers look for them: ${unsent.join(' ')}`,
    hint: 'Nothing was submitted. Try again when the store can be written.',
  });
}
