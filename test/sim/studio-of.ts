/** A studio over folders of logs and journals, for tests of what the server answers: real readers, and no server. */
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { readRunFromLog } from '../../src/log/index.ts';
import { type AnswerOf, ROUTES, type RouteName, type RunItem } from '../../src/server/api.ts';
import type { Call, Handler } from '../../src/server/call.ts';
import type { OpenRun, Studio } from '../../src/server/studio.ts';
import {
  findInAll,
  listAll,
  openFolder,
  type RunInForms,
  type RunSource,
  type SourceRun,
} from '../../src/sources/index.ts';

export interface StudioOfOptions {
  /** A folder of logs, with the journals of runs under way in its state directory. */
  readonly dir?: string;
  readonly sources?: readonly RunSource[];
  readonly scratchDir?: string;
  /** How often runs were opened and not closed. */
  readonly openRuns?: { count: number };
}

export async function studioOf(options: StudioOfOptions): Promise<Studio> {
  const sources =
    options.sources ??
    (await openFolder(options.dir ?? '.', {
      cwd: '.',
      disk: nodeDisk,
      clock: systemClock,
      random: systemRandom,
      env: process.env,
    }));
  return new StudioOfSources(sources, options);
}

class StudioOfSources implements Studio {
  readonly clock = systemClock;
  readonly results = undefined;
  readonly sources: readonly RunSource[];
  readonly scratch: Studio['scratch'];
  readonly live: Studio['live'] = { after: () => never(), tell: () => undefined };
  readonly index: Studio['index'];
  readonly #options: StudioOfOptions;
  readonly #kept = new Map<unknown, AsyncDisposable>();
  #items: readonly RunItem[] = [];

  constructor(sources: readonly RunSource[], options: StudioOfOptions) {
    this.sources = sources;
    this.#options = options;
    this.scratch = {
      disk: nodeDisk,
      ...(options.scratchDir === undefined ? {} : { dir: options.scratchDir }),
    };
    this.index = {
      isWhole: true,
      version: '1',
      items: () => this.#items,
      find: async (given) => {
        const { shown, ...inForms } = await findInAll(this.sources, given);
        return { run: shown.run, item: itemOf(inForms), inForms };
      },
      whole: async () => {
        const { runs } = await listAll(this.sources, { limit: 1_000 });
        this.#items = runs.map(itemOf);
      },
    };
  }

  kept<T extends AsyncDisposable>(make: (studio: Studio) => T): T {
    const known = this.#kept.get(make) ?? make(this);
    this.#kept.set(make, known);
    return known as T;
  }

  async open(run: string): Promise<OpenRun> {
    const { shown, ...inForms } = await findInAll(this.sources, run);
    const log = await shown.openLog?.();
    const reader = log ? readRunFromLog(log) : await shown.open();
    const count = this.#options.openRuns;
    if (count) count.count++;
    return {
      found: { run: shown.run, item: itemOf(inForms), inForms },
      reader,
      log,
      version: versionOf(shown),
      async [Symbol.asyncDispose]() {
        if (count) count.count--;
        await reader.close();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#kept.values()) await one[Symbol.asyncDispose]();
    for (const source of this.sources) await source[Symbol.asyncDispose]();
  }
}

function versionOf({ form, row, name }: SourceRun): string | undefined {
  if (form === 'running' || form === 'interrupted' || form === 'unknown') return undefined;
  return `${name} ${row?.end ?? ''} ${row?.log?.sizeBytes ?? ''}`;
}

export function itemOf({ run, forms, place, name, row, damage }: RunInForms): RunItem {
  const item = { run, form: forms[0] ?? 'log', place, name };
  if (!row) return { ...item, damage: damage ?? '' };
  const {
    eval: evalName,
    target,
    experiment,
    tags,
    status,
    samples,
    scores,
    tokens,
    usd,
    start,
    end,
    durationMs,
    code,
    by,
  } = row;
  const facts = {
    eval: evalName,
    target,
    experiment,
    tags,
    status,
    samples,
    scores,
    tokens,
    usd,
    start,
    end,
    durationMs,
    code,
    by,
  };
  return ROUTES.runs.answer.shape.live.element.parse({ ...item, facts: JSON.parse(JSON.stringify(facts)) });
}

/** Asks a handler as a server does, and holds its answer to its schema. */
export async function ask<Name extends RouteName>(
  studio: Studio,
  name: Name,
  handler: Handler<Name>,
  asked: Asked = {},
): Promise<AnswerOf<Name>> {
  const answer = await handler(callOf(studio, name, asked));
  // What is sent is JSON, with numbers that JSON lacks in words.
  return ROUTES[name].answer.parse(JSON.parse(sent(answer))) as AnswerOf<Name>;
}

/** The same for one that answers in lines. */
export async function askLines<Name extends RouteName>(
  studio: Studio,
  name: Name,
  handler: Handler<Name>,
  asked: Asked = {},
): Promise<AnswerOf<Name>[]> {
  const lines: AnswerOf<Name>[] = [];
  for await (const line of handler(callOf(studio, name, asked)) as AsyncIterable<AnswerOf<Name>>)
    lines.push(ROUTES[name].answer.parse(JSON.parse(sent(line))) as AnswerOf<Name>);
  return lines;
}

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly signal?: AbortSignal;
  /** Gets what the answer is made of. */
  readonly tags?: (string | number | undefined)[];
}

function callOf<Name extends RouteName>(studio: Studio, name: Name, asked: Asked): Call<Name> {
  const query = Object.fromEntries(
    Object.entries(asked.query ?? {}).map(([key, value]) => [key, String(value)]),
  );
  return {
    studio,
    params: asked.params ?? {},
    query: ROUTES[name].query.parse(query) as Call<Name>['query'],
    body: undefined,
    signal: asked.signal ?? new AbortController().signal,
    sameAs: (...of) => void asked.tags?.push(...of),
  };
}

function sent(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) =>
    typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value,
  );
}

async function* never(): AsyncGenerator<never> {
  // Nothing happens here.
}
