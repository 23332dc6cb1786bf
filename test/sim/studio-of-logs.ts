/** A small Studio over real logs and results, for tests of the server's handlers: nothing in it is remembered but what they keep. */
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type RunReader, readRunFromLog } from '../../src/log/index.ts';
import type { ResultsStore } from '../../src/results/index.ts';
import {
  type AnswerOf,
  type AskedOf,
  type LiveEvent,
  ROUTES,
  type RouteName,
  type RunItem,
} from '../../src/server/api.ts';
import type { Call, Handler } from '../../src/server/call.ts';
import type { FoundRun, OpenRun, Studio } from '../../src/server/studio.ts';
import {
  findInAll,
  listAll,
  openFolder,
  type RunInForms,
  type RunSource,
  resultsSource,
} from '../../src/sources/index.ts';
import { GIT_ENV } from './results-repo.ts';
import { withMethods } from './with-methods.ts';

export interface StudioOfLogs extends Studio {
  /** Everything that was told. */
  readonly told: readonly LiveEvent[];
  /** How often the list of samples of each run was read. */
  readonly listed: ReadonlyMap<string, number>;
  /** Looks at the sources again. */
  look(): Promise<void>;
}

export interface StudioGiven {
  /** A folder of logs. */
  readonly logs?: string;
  readonly results?: ResultsStore;
  /** Any others. */
  readonly sources?: readonly RunSource[];
}

export async function studioOfLogs({
  logs,
  results,
  sources: others = [],
}: StudioGiven): Promise<StudioOfLogs> {
  const base = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  const folders = logs === undefined ? [] : await openFolder(logs, { ...base, cwd: logs });
  const sources: readonly RunSource[] = [...(results ? [resultsSource(results)] : []), ...folders, ...others];
  const told: LiveEvent[] = [];
  const listed = new Map<string, number>();
  let items: readonly RunItem[] = [];
  let version = 0;
  const look = async () => {
    const { runs } = await listAll(sources, { limit: 10_000, withRemoved: true });
    items = runs.map(itemOf);
    version++;
  };
  const find = async (given: string): Promise<FoundRun> => {
    const { shown: _, ...inForms } = await findInAll(sources, given);
    return { run: inForms.run, item: itemOf(inForms), inForms };
  };
  await look();
  return {
    clock: systemClock,
    sources,
    isElsewhere: false,
    results,
    told,
    listed,
    look,
    index: {
      isWhole: true,
      items: () => items,
      find,
      get version() {
        return String(version);
      },
      whole: async (signal) => signal.throwIfAborted(),
      begun: async (signal) => signal.throwIfAborted(),
      get state() {
        return { isWhole: true, read: items.length };
      },
      sources: () => [],
      lookAgain: look,
    },
    live: {
      after: async function* () {
        // Nobody listens in these tests.
      },
      tell: (event) => told.push(event),
    },
    open: async (run): Promise<OpenRun> => {
      const { shown } = await findInAll(sources, run);
      const log = await shown.openLog?.();
      const reader = log ? readRunFromLog(log) : await shown.open();
      const summaries: RunReader['summaries'] = (after) => {
        listed.set(shown.run, (listed.get(shown.run) ?? 0) + 1);
        return reader.summaries(after);
      };
      const isFixed = shown.form === 'published' || shown.form === 'log' || shown.form === 'agentv';
      return {
        found: await find(shown.run),
        reader: withMethods(reader, { summaries }),
        log,
        version: isFixed ? JSON.stringify([shown.name, shown.row?.end, shown.row?.log]) : undefined,
        [Symbol.asyncDispose]: () => reader.close(),
      };
    },
    [Symbol.asyncDispose]: async () => {
      for (const source of [...folders, ...others]) await source[Symbol.asyncDispose]();
    },
  };
}

function itemOf({ run, forms, place, name, row, damage, marks }: RunInForms): RunItem {
  const notes = (marks?.notes.length ?? 0) + (marks?.verdicts.length ?? 0);
  return {
    run,
    form: forms[0] ?? 'log',
    place,
    name,
    ...(damage === undefined ? {} : { damage }),
    ...(row ? { facts: { ...row, scores: [...row.scores] } } : {}),
    ...(notes > 0 ? { notes } : {}),
    ...(marks && marks.removals.length > 0 ? { removed: true } : {}),
  };
}

export interface Asked<Name extends RouteName> {
  readonly query?: AskedOf<Name>;
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** A question as the server passes it on. */
export function callOf<Name extends RouteName>(studio: Studio, name: Name, asked: Asked<Name>): Call<Name> {
  return {
    studio,
    params: asked.params ?? {},
    query: ROUTES[name].query.parse(asked.query ?? {}) as Call<Name>['query'],
    body: asked.body === undefined ? undefined : ROUTES.say.body?.parse(asked.body),
    isTrusted: true,
    signal: asked.signal ?? new AbortController().signal,
    sameAs: () => undefined,
  };
}

/** Asks a handler as the server does: the question and the answer go through their schemas, the answer also through JSON. */
export async function ask<Name extends RouteName>(
  studio: Studio,
  name: Name,
  handler: Handler<Name>,
  asked: Asked<Name> = {},
): Promise<AnswerOf<Name>> {
  const answer = handler(callOf(studio, name, asked));
  if (Symbol.asyncIterator in answer) throw new Error(`${name} answers in lines`);
  return received(name, await answer);
}

/** The same of a handler that answers line by line. */
export async function* askLines<Name extends RouteName>(
  studio: Studio,
  name: Name,
  handler: Handler<Name>,
  asked: Asked<Name> = {},
): AsyncGenerator<AnswerOf<Name>> {
  const answer = handler(callOf(studio, name, asked));
  if (!(Symbol.asyncIterator in answer)) throw new Error(`${name} answers at once`);
  for await (const line of answer) yield received(name, line);
}

function received<Name extends RouteName>(name: Name, answer: unknown): AnswerOf<Name> {
  const text = JSON.stringify(answer, (_, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? { $number: String(value) } : value,
  );
  return ROUTES[name].answer.parse(JSON.parse(text)) as AnswerOf<Name>;
}
