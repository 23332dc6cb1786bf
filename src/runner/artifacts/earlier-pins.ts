import { type Pin, pinsIn, pinsJson } from '../../artifacts/index.ts';
import { isJsonObject } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import { findRuns, lookAtRun, type StateDir } from '../../journal/index.ts';
import type { LogStart } from '../../log/index.ts';
import { isTakenForDead, mayGoOnWith } from '../look-back.ts';
import { type EvalIdentity, isOfEval } from '../of-eval.ts';
import type { PlanIdentity } from '../plan.ts';
import type { RunSettings } from '../settings.ts';

/** The start of a log that says that the run used these as well. */
export function withPins(start: LogStart, pins: readonly Pin[]): LogStart {
  const { metadata = {} } = start.eval;
  const { holdfast } = metadata;
  const ours = isJsonObject(holdfast) ? holdfast : {};
  const all = new Map([...pinsIn(metadata), ...pins].map((pin) => [pin.digest, pin]));
  const artifacts = pinsJson([...all.values()]);
  return { ...start, eval: { ...start.eval, metadata: { ...metadata, holdfast: { ...ours, artifacts } } } };
}

/** What the last run of an eval that did not finish tells those who go on with it. */
export interface Unfinished {
  /**
   * Its generations: it is gone on with by the same ones, whatever became current meanwhile. By recipe, so that what another recipe has now
   * is not looked for among them.
   */
  readonly pins: ReadonlyMap<string, Pin>;
  /** What builds have cost it, by the ids of their runs. Nothing when something else is asked now: then it is not gone on with. */
  readonly paid: ReadonlyMap<string, number>;
}

export async function unfinishedOf(
  settings: Pick<RunSettings, 'disk' | 'places' | 'reuse' | 'ownRuns' | 'forceDead'>,
  identity: Asker,
): Promise<Unfinished> {
  const { found } = await findRuns(settings.disk, settings.places.state.path);
  const last = found.findLast(
    (run) => isOfEval(run.run, identity) && isTakenForDead(run, settings) && mayGoOnWith(run, settings),
  );
  const pins = pinsIn(last?.run.start.eval.metadata);
  const isSame =
    last?.run.identity.target === identity.target && last.run.identity.definition === identity.definition;
  return {
    pins: new Map(pins.map((pin) => [pin.recipe, pin])),
    paid: last && isSame ? await paidBy(settings.disk, last.dir) : new Map(),
  };
}

/** An eval on a target as it is now, but for its rows and artifacts. */
export type Asker = EvalIdentity & Pick<PlanIdentity, 'target' | 'definition'>;

/** The most that any of its writers says of a build: each says all that it knows. */
async function paidBy(disk: Disk, runDir: string): Promise<ReadonlyMap<string, number>> {
  const paid = new Map<string, number>();
  const journals = await lookAtRun({ disk, runDir });
  try {
    for (const { builds = {} } of journals?.writers() ?? [])
      for (const [run, usd] of Object.entries(builds)) paid.set(run, Math.max(usd, paid.get(run) ?? 0));
  } finally {
    journals?.close();
  }
  return paid;
}

/** The digests of all generations that unfinished runs of a log directory have pinned, whoever works on them. */
export async function pinnedByRuns(disk: Disk, state: StateDir): Promise<readonly string[]> {
  const { found } = await findRuns(disk, state.path);
  return found.flatMap(({ run }) => pinsIn(run.start.eval.metadata)).map(({ digest }) => digest);
}
