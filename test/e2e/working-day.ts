/**
 * A working day with an eval, seen from outside: a server that counts what it sells, an eval in several files that is edited and
 * run again and again, and beside every run a fresh one at another server, which says what a run of that moment asks for and
 * what its scores are.
 */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type ReceivedRequest, sendJson, startServer } from '../sim/http-server.ts';
import { samplesOf } from '../sim/read-log.ts';
import { makeTempDir, type TempDir } from '../sim/temp-dir.ts';
import { holdfast, type RunReport, reportOf, startHoldfast } from './holdfast.ts';

/** The files of an eval, by name. */
export type Files = Readonly<Record<string, string>>;

export interface Step {
  readonly report: RunReport['runs'][number];
  /** What was bought in it, one text for each request. */
  readonly bought: readonly string[];
}

/** Sells the same answer to the same question, always, and writes down what it sold. */
interface Shop extends AsyncDisposable {
  readonly url: string;
  readonly sold: readonly string[];
  /** From now on so many more are served; whoever asks beyond is left waiting. */
  stock(count: number): void;
  /** Resolves when somebody waits in vain. */
  soldOut(): Promise<void>;
}

async function openShop(): Promise<Shop> {
  const sold: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  let waiting = 0;
  const server = await startServer((request, response) => {
    if (left <= 0) return void waiting++;
    left--;
    const question = questionIn(request);
    sold.push(question);
    sendJson(response, answerTo(question, request.path.endsWith('/ask')));
  });
  return {
    url: server.url,
    sold,
    stock(count) {
      left = count;
      waiting = 0;
    },
    async soldOut() {
      while (waiting === 0) await sleep(2);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function answerTo(question: string, isPlain: boolean): object {
  const answer = `heard ${question.length}: ${question.toUpperCase()}`;
  if (isPlain) return { answer };
  return {
    id: 'x',
    object: 'chat.completion',
    created: 0,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function questionIn({ body }: ReceivedRequest): string {
  const json = JSON.parse(body) as { input?: string; messages?: { content: unknown }[] };
  return json.input ?? JSON.stringify(json.messages?.map(({ content }) => content));
}

/** Long enough for an answer that was sent to be kept by whoever asked. */
const HEARD_MS = 3_000;

export class WorkingDay implements AsyncDisposable {
  readonly #dir: TempDir;
  readonly #paid: Shop;
  readonly #free: Shop;
  #files: Files = {};
  #steps = 0;

  private constructor(dir: TempDir, paid: Shop, free: Shop) {
    this.#dir = dir;
    this.#paid = paid;
    this.#free = free;
  }

  static async begin(files: Files): Promise<WorkingDay> {
    const [paid, free] = [await openShop(), await openShop()];
    const day = new WorkingDay(await makeTempDir(), paid, free);
    await day.edit(files);
    return day;
  }

  get files(): Files {
    return this.#files;
  }

  async edit(change: Files): Promise<void> {
    this.#files = { ...this.#files, ...change };
    for (const [name, text] of Object.entries(change)) await writeFile(join(this.#dir.path, name), text);
  }

  /** Kills a run after it was given so many answers: one of them at least was heard, since it asked on. */
  async kill(answers: number): Promise<void> {
    this.#paid.stock(answers);
    const { child, ended } = startHoldfast(this.#dir.path, ['run', 'day.eval.ts'], this.#env(this.#paid));
    await this.#paid.soldOut();
    await sleep(HEARD_MS);
    child.kill('SIGKILL');
    await ended;
    this.#paid.stock(Number.POSITIVE_INFINITY);
  }

  /**
   * Runs the eval as it is now, and holds it to what a fresh run does: what is bought is what was never answered before, and every
   * score is the same.
   */
  async run(...flags: readonly string[]): Promise<Step> {
    const sold = [...this.#paid.sold];
    const ended = await holdfast(
      this.#dir.path,
      ['run', 'day.eval.ts', '--json', ...flags],
      this.#env(this.#paid),
    );
    expect(ended.code, ended.stderr).toBe(0);
    const [report] = reportOf(ended).runs;
    if (!report) throw new Error(ended.stdout);
    const bought = this.#paid.sold.slice(sold.length);
    const fresh = await this.#runFresh();
    expect(bought.toSorted(), `step ${++this.#steps}`).toEqual(without(fresh.asked, sold).toSorted());
    expect(await scoresIn(report.log)).toEqual(await scoresIn(fresh.log));
    return { report, bought };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#paid[Symbol.asyncDispose]();
    await this.#free[Symbol.asyncDispose]();
    await this.#dir[Symbol.asyncDispose]();
  }

  async #runFresh(): Promise<{ readonly asked: readonly string[]; readonly log: string | undefined }> {
    await rm(join(this.#dir.path, 'fresh'), { recursive: true, force: true });
    const before = this.#free.sold.length;
    const ended = await holdfast(
      this.#dir.path,
      ['run', 'day.eval.ts', '--json', '--fresh', '--log-dir', 'fresh'],
      this.#env(this.#free),
    );
    expect(ended.code, ended.stderr).toBe(0);
    const asked = this.#free.sold.slice(before);
    return { asked, log: reportOf(ended).runs[0]?.log };
  }

  #env({ url }: Shop): Readonly<Record<string, string>> {
    return { DAY_URL: url };
  }
}

/** By sample: outputs and scores, and not who made them or when. */
async function scoresIn(log: string | undefined): Promise<unknown> {
  const samples = await samplesOf(log ?? '');
  return samples
    .map(({ id, epoch, scores, output }) => ({
      id,
      epoch,
      output: output.completion,
      scores: Object.fromEntries(Object.entries(scores ?? {}).map(([name, { value }]) => [name, value])),
    }))
    .sort((a, b) => (`${a.id} ${a.epoch}` < `${b.id} ${b.epoch}` ? -1 : 1));
}

/** Each of `some` takes one of `all` away. */
function without(all: readonly string[], some: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const item of some) left.set(item, (left.get(item) ?? 0) + 1);
  return all.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}
