import { assert } from '../base/index.ts';
import type {
  Elsewhere,
  EndedElsewhere,
  OpenElsewhere,
  PlannedItem,
  RunElsewhere,
  SampleElsewhere,
  WriterElsewhere,
} from '../runner/index.ts';
import type { CallLimiter } from '../targets/index.ts';
import { PoolWorker, WorkerGone } from './pool-worker.ts';

export interface PoolOptions {
  /** How many run samples side by side; undefined: only those samples are run that have a process of their own. */
  readonly workers: number | undefined;
  /** How a worker is started: what comes after `node`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly items: readonly PlannedItem[];
  readonly onLine: (line: string) => void;
  /** What calls of all workers together may use. */
  readonly limiter: CallLimiter;
}

/** How many workers a sample may lose before it is an error. */
const LOST_MAX = 3;

/**
 * Processes of this machine that run samples. One that dies takes nothing with it but what was not yet acknowledged: its samples
 * go to others, which replay what it had paid for. A sample that lost a worker runs alone in a process of its own the next time, so it
 * takes nobody with it; those of an eval that isolates always do.
 */
export class WorkerPool implements Elsewhere {
  readonly #options: PoolOptions;
  readonly #workers = new Set<PoolWorker>();
  readonly #open = new Set<OpenItem>();
  #isOver = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async open(run: RunElsewhere): Promise<OpenElsewhere | undefined> {
    const { items, workers } = this.#options;
    if (workers === undefined && !run.task.eval.isIsolated) return undefined;
    const item = items.findIndex(
      ({ eval: planned, model }) => planned === run.task.eval && model === run.task.model,
    );
    assert(item >= 0, `${run.task.eval.name} is not among the items of the pool`);
    const opened: OpenItem = { item, run, writers: new Map() };
    this.#open.add(opened);
    return {
      runSample: (sample) => this.#runSample(opened, sample),
      close: async () => {
        await Promise.all([...this.#workers].map((worker) => worker.close(item)));
        this.#open.delete(opened);
        return [...opened.writers.values()];
      },
    };
  }

  /** Says to all of them that nothing more will come, and waits until they are gone. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  async #runSample(opened: OpenItem, sample: SampleElsewhere): Promise<EndedElsewhere> {
    const lost: { readonly writer: string | undefined; readonly reason: string }[] = [];
    while (lost.length < LOST_MAX) {
      if (sample.signal.aborted) return { kind: 'interrupted' };
      const isAlone = lost.length > 0 || opened.run.task.eval.isIsolated;
      const worker = isAlone ? this.#start() : this.#leastBusy();
      try {
        return await worker.run(opened, sample, earlierOf(opened, sample, lost));
      } catch (error) {
        if (!(error instanceof WorkerGone)) throw error;
        lost.push({ writer: error.writer, reason: error.message });
      } finally {
        if (isAlone) await worker.end();
      }
    }
    return { kind: 'lost', reasons: lost.map(({ reason }) => reason) };
  }

  #leastBusy(): PoolWorker {
    const shared = [...this.#workers].filter((worker) => !worker.isAlone && !worker.isGone);
    if (shared.length < (this.#options.workers ?? 1)) return this.#start({ isAlone: false });
    return shared.reduce((best, worker) => (worker.busy < best.busy ? worker : best));
  }

  #start({ isAlone = true } = {}): PoolWorker {
    assert(!this.#isOver, 'the pool has ended');
    const worker = new PoolWorker(this.#options, { isAlone, onSpent: (item, usd) => this.#spend(item, usd) });
    this.#workers.add(worker);
    void worker.ended.then(() => this.#workers.delete(worker));
    return worker;
  }

  /** Whatever one of them spends, all of them hear whether anything is left: budgets may be shared by several evals. */
  #spend(item: number, usd: number | undefined): void {
    const spender = [...this.#open].find((opened) => opened.item === item);
    spender?.run.task.models.budget.spend(usd);
    for (const opened of this.#open) {
      const { limitUsd, spentUsd, isExhausted } = opened.run.task.models.budget;
      const told = { limitUsd, spentUsd, isExhausted: isExhausted() };
      for (const worker of this.#workers) worker.say({ kind: 'budget', item: opened.item, ...told });
    }
  }
}

/** A run whose samples the pool runs. */
interface OpenItem {
  readonly item: number;
  readonly run: RunElsewhere;
  /** All that wrote a journal of it, also those that are gone. */
  readonly writers: Map<string, WriterElsewhere>;
}

/** What was bought by others for this sample, and is to be replayed. */
function earlierOf(
  { run }: OpenItem,
  { wasTried }: SampleElsewhere,
  lost: readonly { readonly writer: string | undefined }[],
): readonly string[] {
  return [...(wasTried ? run.writer.after : []), ...lost.flatMap(({ writer }) => writer ?? [])];
}
