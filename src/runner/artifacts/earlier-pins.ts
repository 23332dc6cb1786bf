import { z } from 'zod';
import type { Pin } from '../../artifacts/index.ts';
import type { Digest, Json, JsonObject } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import { findRuns, type StateDir } from '../../journal/index.ts';
import { isTakenForDead, mayGoOnWith } from '../look-back.ts';
import { type EvalIdentity, isOfEval } from '../of-eval.ts';
import type { RunSettings } from '../settings.ts';

const pinSchema = z.object({
  kind: z.string(),
  key: z.string(),
  recipe: z.string().transform((text) => text as Digest),
  generation: z.string(),
  digest: z.string(),
});

const metadataSchema = z.object({ holdfast: z.object({ artifacts: z.array(pinSchema) }) });

/** What a run pinned, as its log and its journals tell. */
export function pinsIn(metadata: JsonObject | undefined): readonly Pin[] {
  return metadataSchema.safeParse(metadata).data?.holdfast.artifacts ?? [];
}

export function pinsJson(pins: readonly Pin[]): Json {
  return pins.map(({ kind, key, recipe, generation, digest }) => ({ kind, key, recipe, generation, digest }));
}

/**
 * The generations of the last run of this eval that did not finish: it is gone on with by the same ones, whatever became current
 * meanwhile. By recipe, so that what another recipe has now is not looked for among them.
 */
export async function pinsOfUnfinished(
  settings: Pick<RunSettings, 'disk' | 'places' | 'reuse' | 'ownRuns' | 'forceDead'>,
  identity: EvalIdentity,
): Promise<ReadonlyMap<string, Pin>> {
  const { found } = await findRuns(settings.disk, settings.places.state.path);
  const last = found.findLast(
    (run) => isOfEval(run.run, identity) && isTakenForDead(run, settings) && mayGoOnWith(run, settings),
  );
  const pins = pinsIn(last?.run.start.eval.metadata);
  return new Map(pins.map((pin) => [pin.recipe, pin]));
}

/** The digests of all generations that unfinished runs of a log directory have pinned, whoever works on them. */
export async function pinnedByRuns(disk: Disk, state: StateDir): Promise<readonly string[]> {
  const { found } = await findRuns(disk, state.path);
  return found.flatMap(({ run }) => pinsIn(run.start.eval.metadata)).map(({ digest }) => digest);
}
