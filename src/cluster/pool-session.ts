import { definedOf } from '../base/index.ts';
import type { ParentLink } from '../process/index.ts';
import type { PlannedItem, PreparedSet, SharedItem } from '../runner/index.ts';
import { AskedLimiter } from './asked-limiter.ts';
import type { FromWorker, ToWorker } from './pool-messages.ts';
import { toldError } from './told-error.ts';

/**
 * Runs samples for the process that started this one, until that one says that nothing more will come, or is gone. What was paid
 * for is in a journal of this process's own, in the directory of the run.
 */
export async function servePool(set: PreparedSet, link: ParentLink): Promise<void> {
  const session = new PoolSession(set, link);
  const over = Promise.withResolvers<void>();
  link.gone.addEventListener('abort', () => over.resolve(), { once: true });
  link.onMessage((message) => {
    const said = message as ToWorker;
    if (said.kind === 'end') over.resolve();
    else session.hear(said);
  });
  link.send({ kind: 'ready' } satisfies FromWorker);
  await over.promise;
  await session.close();
}

class PoolSession {
  readonly #set: PreparedSet;
  readonly #link: ParentLink;
  readonly #open = new Map<number, Promise<SharedItem>>();
  readonly #running = new Map<number, AbortController>();
  readonly #work = new Set<Promise<void>>();
  readonly #limiter = new AskedLimiter((said) => this.#say(said));

  constructor(set: PreparedSet, link: ParentLink) {
    this.#set = set;
    this.#link = link;
  }

  hear(said: ToWorker): void {
    if (said.kind === 'open') this.#keep(this.#opening(said));
    if (said.kind === 'run') this.#keep(this.#run(said));
    if (said.kind === 'abort') this.#running.get(said.id)?.abort(new Error('The run was interrupted'));
    if (said.kind === 'entered') this.#limiter.entered(said.id);
    if (said.kind === 'budget') this.#keep(this.#tellBudget(said));
    if (said.kind === 'close') this.#keep(this.#closeItem(said.item));
  }

  /** What runs is stopped; what it paid for is in the journal. */
  async close(): Promise<void> {
    for (const stop of this.#running.values()) stop.abort(new Error('The run was interrupted'));
    await Promise.all(this.#work);
    for (const item of this.#open.keys()) await this.#closeItem(item);
  }

  async #closeItem(item: number): Promise<void> {
    const [opened] = await Promise.allSettled([this.#open.get(item)]);
    this.#open.delete(item);
    if (opened.status === 'fulfilled') await opened.value?.shared.close();
    this.#say({ kind: 'closed', item });
  }

  /** One that could not be opened has told so. */
  async #tellBudget({ item, ...told }: Extract<ToWorker, { kind: 'budget' }>): Promise<void> {
    const [opened] = await Promise.allSettled([this.#open.get(item)]);
    if (opened.status === 'fulfilled') opened.value?.budget.tell(told);
  }

  #keep(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }

  async #opening({ item, run, writer }: Extract<ToWorker, { kind: 'open' }>): Promise<void> {
    const { generation, after, held, reuse } = writer;
    const beside = { generation, after, reuse, ...definedOf({ held }) };
    const opening = this.#set.share(this.#item(item), {
      ...{ run, beside, limiter: this.#limiter },
      onSpent: (usd) => this.#say({ kind: 'spent', item, usd }),
      onNote: (text) => this.#say({ kind: 'note', item, text }),
    });
    this.#open.set(item, opening);
    try {
      this.#say({ kind: 'opened', item, writer: (await opening).shared.writer });
    } catch (error) {
      this.#say({ kind: 'refused', item, error: toldError(error) });
    }
  }

  async #run({ id, item, position, earlier, kept }: Extract<ToWorker, { kind: 'run' }>): Promise<void> {
    const stop = new AbortController();
    this.#running.set(id, stop);
    try {
      const opened = await this.#open.get(item);
      if (!opened) throw new Error(`item ${item} was not opened`);
      const { outcome, counted, damage } = await opened.shared.runSample({
        position,
        earlier,
        kept,
        signal: stop.signal,
      });
      const { reason: _reason, fields, ...rest } = outcome;
      const told = fields && definedOf({ scores: fields.scores, error: fields.error, limit: fields.limit });
      this.#say({
        kind: 'ended',
        id,
        result: { outcome: { ...rest, ...definedOf({ fields: told }) }, counted, damage },
      });
    } catch (error) {
      this.#say({ kind: 'failed', id, error: toldError(error) });
    } finally {
      this.#running.delete(id);
    }
  }

  #item(index: number): PlannedItem {
    const item = this.#set.items[index];
    if (!item) throw new Error(`there is no item ${index}`);
    return item;
  }

  #say(said: FromWorker): void {
    this.#link.send(said);
  }
}
