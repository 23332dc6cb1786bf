import { ActionableError, isJsonObject, type JsonObject, messageOf, sampleKeyText } from '../base/index.ts';
import { type EvalSampleSummary, type LogStore, type RepairedLog, repairedLog } from '../log/index.ts';
import type { Plan, PlannedSample } from './plan.ts';

export type ReuseMode = 'same' | 'any' | 'none';

/** A finished sample that another run's log holds. */
export interface Reusable {
  readonly planned: PlannedSample;
  /** The name of the log in its store. */
  readonly log: string;
  readonly runId: string;
  /** False when only `--reuse=any` makes it reusable: its definition was another. */
  readonly isSame: boolean;
  readonly summary: EvalSampleSummary;
}

export interface ReuseFindings {
  /** By `sampleKeyText`. */
  readonly reusable: ReadonlyMap<string, Omit<Reusable, 'summary'>>;
  /** Errors of earlier attempts at samples that must be run again, by `sampleKeyText`. */
  readonly errored: ReadonlyMap<string, { readonly log: string }>;
  /** Samples that are there, but under another definition: not reused unless asked for. */
  readonly changed: number;
  /** Logs that could not be read: unreadable is not absent. */
  readonly unreadable: ReadonlyArray<{
    readonly path: string;
    readonly reason: string;
    /** By its name it is a log of this eval. */
    readonly isOurs: boolean;
    /** Only its own documents are damaged: its samples were looked at, and what is whole can be reused. */
    readonly isRead?: true;
  }>;
}

/**
 * Looks through every finished log of the log directory for samples of this plan. Completed samples whose content key is
 * the same can be reused; of several, the first in the order of names wins, since equal keys have equal meaning.
 */
export async function findReusable(logs: LogStore, plan: Plan, mode: ReuseMode): Promise<ReuseFindings> {
  const search = new ReuseSearch(plan, mode);
  if (mode === 'none') return search.findings;
  for await (const { name } of logs.list()) {
    try {
      const log = await logs.open(name);
      try {
        if (log) await search.lookInto(repairedLog(log), name);
      } finally {
        await log?.close();
      }
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      search.noteUnreadable(logs.placeOf(name), { name, reason: messageOf(error) });
    }
  }
  return search.findings;
}

class ReuseSearch {
  #names: ReadonlyMap<string, PlannedSample> | undefined;
  readonly #plan: Plan;
  readonly #mode: ReuseMode;
  readonly #changed = new Set<string>();
  #isComplete = false;
  readonly #found = {
    reusable: new Map<string, Omit<Reusable, 'summary'>>(),
    errored: new Map<string, { log: string }>(),
    unreadable: [] as { path: string; reason: string; isOurs: boolean; isRead?: true }[],
  };

  constructor(plan: Plan, mode: ReuseMode) {
    this.#plan = plan;
    this.#mode = mode;
  }

  /** Made when the first log is looked into: of a large plan it is not small, and mostly there is none. */
  get #wanted(): ReadonlyMap<string, PlannedSample> {
    this.#names ??= new Map(
      this.#plan.samples.map((sample) => [sampleKeyText(sample.id, sample.epoch), sample]),
    );
    return this.#names;
  }

  get findings(): ReuseFindings {
    const { reusable } = this.#found;
    return { ...this.#found, changed: [...this.#changed].filter((name) => !reusable.has(name)).length };
  }

  /** Unreadable is not absent: it is said. */
  noteUnreadable(path: string, { name, reason }: { readonly name: string; readonly reason: string }): void {
    // As `logFileName` writes it: `<created>_<task>_<task id>.eval`.
    const task = this.#plan.identity.eval.replace(/[^0-9A-Za-z]+/g, '-');
    this.#found.unreadable.push({ path, reason, isOurs: name.includes(`_${task}_`) });
  }

  async lookInto(log: RepairedLog, logName: string): Promise<void> {
    const header = await log.header();
    if (header.status === 'started' || header.invalidated) return;
    if (header.eval.task !== this.#plan.identity.eval || !ours(header.eval.metadata)) return;
    if (this.#isComplete) return;
    const own = new Map<string, Omit<Reusable, 'summary'>>();
    for await (const summary of log.summaries()) {
      const found = this.#consider(summary, logName, header.eval.run_id);
      if (found) own.set(sampleKeyText(summary.id, summary.epoch), found);
    }
    const [damage] = log.damage;
    if (damage)
      this.#found.unreadable.push({ path: log.path, reason: damage.message, isOurs: true, isRead: true });
    // One log that holds everything is better than many that each hold a part: then nothing has to be written.
    const areAllSame = [...own.values()].every(({ isSame }) => isSame);
    this.#isComplete = !damage && own.size === this.#wanted.size && areAllSame && header.status === 'success';
    for (const [name, found] of own)
      if (this.#isComplete || this.#isBetter(name, found)) this.#found.reusable.set(name, found);
  }

  /** What was made by the very same definition is better than what `--reuse=any` takes besides. */
  #isBetter(name: string, found: Omit<Reusable, 'summary'>): boolean {
    const known = this.#found.reusable.get(name);
    return known === undefined || (found.isSame && !known.isSame);
  }

  #consider(summary: EvalSampleSummary, log: string, runId: string): Omit<Reusable, 'summary'> | undefined {
    const name = sampleKeyText(summary.id, summary.epoch);
    const planned = this.#wanted.get(name);
    const own = ours(summary.metadata);
    if (!planned || !own) return undefined;
    const isSame = own.key === planned.key;
    const isAlike = own.content === planned.content;
    if (!isSame && !(isAlike && this.#mode === 'any')) {
      if (isAlike) this.#changed.add(name);
      return undefined;
    }
    if (summary.error === undefined && summary.completed) return { planned, log, runId, isSame };
    if (!this.#found.reusable.has(name)) this.#found.errored.set(name, { log });
    return undefined;
  }
}

function ours(metadata: JsonObject | undefined): JsonObject | undefined {
  return isJsonObject(metadata?.holdfast) ? metadata.holdfast : undefined;
}
