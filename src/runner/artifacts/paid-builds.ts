import { join } from 'node:path';
import { z } from 'zod';
import { digestOf, parseJson, toJson } from '../../base/index.ts';
import { type Disk, livenessOf, type ProcessIdentity, replaceFile, whoAmI } from '../../disk/index.ts';
import type { Budget } from '../../targets/index.ts';

export interface PaidBuildsOptions {
  readonly disk: Disk;
  readonly cacheDir: string;
  /** What tells those apart who have builds made: which run of what they are going to be. */
  readonly asker: readonly string[];
  readonly budget: Budget;
  /** What the run that is gone on with has on record. */
  readonly onRecord?: ReadonlyMap<string, number>;
}

/** By the ids of the runs of builds, in US dollars, over all attempts at them. */
export type BuildCosts = Readonly<Record<string, number>>;

/**
 * What builds cost a run. They come before the run that needs them: until it is there, to have them on record, each has a file of its own in
 * the cache (`unclaimed/<digest of who asks>/<run of the build>.json`), so that an attempt which ended before there was a run counts as well.
 *
 * ### Ordering
 * The file is durable before what was built is committed: a generation that the next attempt finds has its price beside it. The files go
 * after the journal of the run says what they say. A crash in between leaves them too long, and the same build counts once.
 */
export class PaidBuilds {
  readonly #options: PaidBuildsOptions;
  readonly #dir: string;
  readonly #paid = new Map<string, number>();

  private constructor(options: PaidBuildsOptions) {
    this.#options = options;
    const name = digestOf(JSON.stringify(options.asker)).slice(0, 16);
    this.#dir = join(options.cacheDir, 'unclaimed', name);
  }

  /** Counts what earlier attempts paid, before anything is built. */
  static async open(options: PaidBuildsOptions): Promise<PaidBuilds> {
    const paid = new PaidBuilds(options);
    for (const [run, usd] of options.onRecord ?? []) options.budget.countEarlier(run, usd);
    for (const { run, usd } of await paid.#unclaimed()) {
      options.budget.countEarlier(run, usd);
      paid.#paid.set(run, usd);
    }
    return paid;
  }

  /** What a build has cost so far, over all attempts at it. */
  async add(run: string, usd: number): Promise<void> {
    const { budget } = this.#options;
    budget.attribute(run, usd);
    if (usd > 0) await this.#write(run, usd);
  }

  /** The run that has them on record is about to go, because what is pinned has changed: until the next one is there, the cache has them. */
  async keepOnRecord(): Promise<void> {
    for (const [run, usd] of this.#options.onRecord ?? [])
      if (!this.#paid.has(run)) await this.#write(run, usd);
  }

  /**
   * For the journal of the run; undefined when nothing was paid. With what is on record: the run that comes may be another one than that
   * which has it.
   */
  get costs(): BuildCosts | undefined {
    const all = new Map([...(this.#options.onRecord ?? []), ...this.#paid]);
    return all.size === 0 ? undefined : Object.fromEntries(all);
  }

  /** They are on record elsewhere now, or are nobody's. */
  async forget(): Promise<void> {
    if (this.#paid.size === 0) return;
    const { disk } = this.#options;
    for (const run of this.#paid.keys()) await disk.remove(this.#fileOf(run));
    this.#paid.clear();
    if ((await disk.list(this.#dir))?.length === 0) await disk.removeTree(this.#dir);
  }

  /** Of those who are dead: what somebody pays who is alive goes into that one's own run. */
  async #unclaimed(): Promise<readonly { readonly run: string; readonly usd: number }[]> {
    const { disk } = this.#options;
    const found: { run: string; usd: number }[] = [];
    for (const { name } of (await disk.list(this.#dir)) ?? []) {
      const bytes = name.endsWith('.json') ? await disk.read(join(this.#dir, name)) : undefined;
      const said = bytes && costIn(bytes);
      if (said && (isOurs(said.process) || livenessOf(said.process) !== 'alive'))
        found.push({ run: name.slice(0, -'.json'.length), usd: said.usd });
    }
    return found;
  }

  async #write(run: string, usd: number): Promise<void> {
    const { disk } = this.#options;
    this.#paid.set(run, usd);
    await disk.makeDir(this.#dir);
    const text = `${JSON.stringify(toJson({ usd, process: whoAmI() }))}\n`;
    await replaceFile(disk, this.#fileOf(run), Buffer.from(text));
  }

  #fileOf(run: string): string {
    return join(this.#dir, `${run}.json`);
  }
}

function isOurs({ pid, processStart }: ProcessIdentity): boolean {
  const self = whoAmI();
  return pid === self.pid && processStart === self.processStart;
}

const word = z
  .string()
  .optional()
  .transform((text): string | undefined => text);

const costSchema = z.object({
  usd: z.number(),
  process: z.object({
    ...{ host: z.string(), pid: z.number(), processStart: z.string() },
    ...{ machineId: word, bootId: word, pidNamespace: word },
  }),
});

function costIn(bytes: Uint8Array): z.infer<typeof costSchema> | undefined {
  try {
    return costSchema.safeParse(parseJson(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    return undefined; // No JSON: whatever it is, it says nothing of money.
  }
}
