import { describe, expect, test } from 'vitest';
import { runIdAt } from '../../test/sim/results-repo.ts';
import { ActionableError, type RunId } from '../base/index.ts';
import { findInAll, type ListAllOptions, listAll } from './list-all.ts';
import { oneRow } from './one-row.ts';
import { isWithin, type RunForm, type RunSource, type SourceRun } from './run-source.ts';
import type { SourceRow } from './source-row.ts';

const id = (n: number) => runIdAt(`2026-03-01T00:00:${String(n).padStart(2, '0')}Z`, n);

describe('one list over all sources', () => {
  test('is ordered by ids, and a run that is kept in several of them is one row', async () => {
    const store = sourceOf('store', [kept(id(5), 'published'), kept(id(3), 'published')]);
    const logs = sourceOf('logs', [kept(id(6), 'log'), kept(id(5), 'log'), kept(id(1), 'log')]);
    const journals = sourceOf('state', [kept(id(7), 'running'), kept(id(6), 'interrupted')]);
    const { runs, cursor, problems } = await listAll([store, logs, journals], { limit: 10 });
    expect(runs.map(({ run, forms }) => [run, forms])).toEqual([
      [id(7), ['running']],
      [id(6), ['log', 'interrupted']],
      [id(5), ['published', 'log']],
      [id(3), ['published']],
      [id(1), ['log']],
    ]);
    expect(runs[2]?.also).toEqual([{ form: 'log', place: 'logs', name: `log ${id(5)}` }]);
    expect({ cursor, problems }).toEqual({ cursor: undefined, problems: [] });
  });

  test('a run that was removed is hidden in all its forms, unless removed ones are asked for', async () => {
    const removal = { version: 1, id: 'x', run: id(5), by: { name: 'a', email: 'b' }, time: '' } as const;
    const said = { tags: ['t'], notes: [], verdicts: [], collections: [], damage: [] };
    const marks = { ...said, removals: [{ ...removal, kind: 'removal' as const }] };
    const store = sourceOf('store', [{ ...kept(id(5), 'published'), marks }, kept(id(3), 'published')]);
    const logs = sourceOf('logs', [kept(id(5), 'log')]);
    const ids = async (more: object) =>
      (await listAll([store, logs], { limit: 9, ...more })).runs.map(({ run }) => run);
    expect(await ids({})).toEqual([id(3)]);
    expect(await ids({ withRemoved: true })).toEqual([id(5), id(3)]);
  });

  test('takes no more from a source than the page needs', async () => {
    const many = sourceOf(
      'store',
      Array.from({ length: 50 }, (_, n) => kept(id(59 - n), 'published')),
    );
    const logs = sourceOf('logs', [kept(id(58), 'log')]);
    const page = await listAll([many, logs], { limit: 5 });
    expect(page.runs).toHaveLength(5);
    expect(many.taken).toBeLessThanOrEqual(7);
    expect(many.isClosed).toBe(true);
  });

  test('goes on where the page before ended, in the states that the sources were in', async () => {
    const store = sourceOf(
      'store',
      [9, 7, 5, 3, 1].map((n) => kept(id(n), 'published')),
      'commit-1',
    );
    const logs = sourceOf(
      'logs',
      [8, 7, 4, 2].map((n) => kept(id(n), 'log')),
    );
    const all = (await listAll([store, logs], { limit: 100 })).runs.map(({ run }) => run);
    for (const limit of [1, 2, 3, 4, 7, 8]) expect(await pages([store, logs], { limit })).toEqual(all);
    const first = await listAll([store, logs], { limit: 3 });
    store.add(kept(id(20), 'published'), kept(id(6), 'published'));
    store.state = 'commit-2';
    const second = await listAll([store, logs], { limit: 3, ...cursorOf(first.cursor) });
    expect(store.askedFor).toBe('commit-1');
    expect(second.runs.map(({ run }) => run)).toEqual([id(5), id(4), id(3)]);
    // A source that joins later begins after the cursor, too.
    const more = sourceOf(
      'more',
      [10, 6].map((n) => kept(id(n), 'log')),
    );
    const joined = await listAll([store, logs, more], { limit: 1, ...cursorOf(first.cursor) });
    expect(joined.runs[0]?.run).toBe(id(6));
  });

  test('a filter is asked of the row that is shown; what cannot be read has none', async () => {
    const store = sourceOf('store', [kept(id(3), 'published', { eval: 'a' }), broken(id(2), 'published')]);
    const logs = sourceOf('logs', [kept(id(3), 'log', { eval: 'b' }), kept(id(1), 'log', { eval: 'b' })]);
    const runsOf = async (options: Partial<ListAllOptions>) =>
      (await listAll([store, logs], { limit: 9, ...options })).runs.map(({ run }) => run);
    expect(await runsOf({ eval: 'a' })).toEqual([id(3)]);
    expect(await runsOf({ eval: 'b' })).toEqual([id(1)]);
    expect(await runsOf({})).toEqual([id(3), id(2), id(1)]);
    expect(await runsOf({ sinceMs: Date.parse('2026-03-01T00:00:02Z') })).toEqual([id(3), id(2)]);
    // The last page has no cursor, also when what follows is not wanted.
    expect((await listAll([store, logs], { limit: 1, eval: 'a' })).cursor).toBeUndefined();
  });

  test('a source that fails is told, and the others are listed; when all fail, that is the failure', async () => {
    const error = new ActionableError({ code: 'E_GIT', message: 'git failed.', hint: 'Try again.' });
    const away = sourceOf('away', [], undefined, error);
    const { runs, problems } = await listAll([away, sourceOf('logs', [kept(id(1), 'log')])], { limit: 9 });
    expect(runs).toHaveLength(1);
    expect(problems).toEqual([{ place: 'away', error }]);
    await expect(listAll([away], { limit: 9 })).rejects.toBe(error);
  });

  test('what is no cursor is refused', async () => {
    for (const cursor of ['x', Buffer.from('{"run":"x","at":{}}').toString('base64url'), ''])
      await expect(listAll([], { limit: 1, cursor })).rejects.toMatchObject({ code: 'E_CURSOR' });
  });
});

describe('one row of several forms', () => {
  const at = (form: RunForm, end: string, documents = 5) =>
    kept(id(1), form, { end, tags: [form], log: { name: 'x', sizeBytes: 10, documents } });
  const [early, late] = ['2026-03-01T01:00:00Z', '2026-03-01T03:00:00+01:00'];

  test('the published one is shown, unless a log ended later; then both are said', () => {
    expect(oneRow([at('log', early), at('published', early)])).toMatchObject({
      forms: ['published', 'log'],
      row: { tags: ['published'] },
    });
    expect(oneRow([at('log', early), at('published', early)]).logIs).toBeUndefined();
    expect(oneRow([at('published', early), at('log', late)])).toMatchObject({
      forms: ['log', 'published'],
      row: { tags: ['log'] },
      logIs: 'newer',
    });
    expect(oneRow([at('published', late), at('log', early)])).toMatchObject({
      row: { tags: ['published'] },
      logIs: 'older',
    });
    expect(oneRow([at('published', early, 6), at('log', early)])).toMatchObject({
      row: { tags: ['published'] },
      logIs: 'different',
    });
  });

  test('what cannot be read is shown only when nothing can, and always told', () => {
    expect(oneRow([broken(id(1), 'published'), at('log', early)])).toMatchObject({
      forms: ['log', 'published'],
      row: { tags: ['log'] },
      also: [{ form: 'published', damage: 'broken' }],
    });
    expect(oneRow([broken(id(1), 'log')])).toMatchObject({ forms: ['log'], damage: 'broken' });
  });
});

test('a run that goes from its journals into its log while it is looked for is found', async () => {
  const logs = sourceOf('logs', []);
  let looks = 0;
  const late: RunSource = {
    ...logs,
    // As somebody who remembers what was there a moment ago.
    find: async (_, { maxAgeMs = 0 } = {}) =>
      looks++ > 0 && maxAgeMs === 0 ? kept(id(5), 'log') : undefined,
  };
  const found = await findInAll([late, sourceOf('state', [])], id(5), { maxAgeMs: 1_000 });
  expect(found.forms).toEqual(['log']);
  await expect(findInAll([logs], id(5))).rejects.toMatchObject({ code: 'E_RUN_UNKNOWN' });
});

test('a run is found in whichever source has it, once in all its forms', async () => {
  const store = sourceOf('store', [kept(id(5), 'published'), kept(id(15), 'published')]);
  const logs = sourceOf('logs', [kept(id(6), 'log'), kept(id(5), 'log')]);
  expect(await findInAll([store, logs], id(5))).toMatchObject({ run: id(5), forms: ['published', 'log'] });
  expect(await findInAll([store, logs], `log ${id(6)}`)).toMatchObject({ run: id(6), forms: ['log'] });
  await expect(findInAll([store, logs], 'nobody')).rejects.toMatchObject({ code: 'E_RUN_UNKNOWN' });
  await expect(findInAll([store, logs], '20260301T0000')).rejects.toMatchObject({ code: 'E_RUN_AMBIGUOUS' });
});

async function pages(sources: readonly RunSource[], options: { readonly limit: number }): Promise<RunId[]> {
  const runs: RunId[] = [];
  let cursor: string | undefined;
  do {
    const page = await listAll(sources, { ...options, ...cursorOf(cursor) });
    runs.push(...page.runs.map(({ run }) => run));
    cursor = page.cursor;
  } while (cursor !== undefined);
  return runs;
}

function cursorOf(cursor: string | undefined): { readonly cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}

interface ListSource extends RunSource {
  readonly taken: number;
  readonly isClosed: boolean;
  readonly askedFor: string | undefined;
  state: string | undefined;
  add(...runs: readonly SourceRun[]): void;
}

/** A source in memory, of runs that are given newest first. */
function sourceOf(place: string, runs: readonly SourceRun[], state?: string, failure?: Error): ListSource {
  let taken = 0;
  let isClosed = false;
  let askedFor: string | undefined;
  const states = new Map([[state, runs]]);
  const source: ListSource = {
    place,
    kind: 'logs',
    state,
    get taken() {
      return taken;
    },
    get isClosed() {
      return isClosed;
    },
    get askedFor() {
      return askedFor;
    },
    add(...more) {
      states.set(
        'commit-2',
        [...runs, ...more].sort((a, b) => (a.run < b.run ? 1 : -1)),
      );
    },
    async *runs(options = {}) {
      if (failure) throw failure;
      askedFor = options.at;
      const at = options.at ?? source.state;
      isClosed = false;
      try {
        for (const run of states.get(at) ?? []) {
          if (!isWithin(run.run, options)) continue;
          taken++;
          yield { ...run, place, ...(at === undefined ? {} : { at }) };
        }
      } finally {
        isClosed = true;
      }
    },
    async find(given) {
      const found = runs.filter(({ run, name }) => name === given || run.startsWith(given));
      return found[0];
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  return source;
}

const never = () => Promise.reject(new Error('It is not opened here.'));

function kept(run: RunId, form: RunForm, more: Partial<SourceRow> = {}): SourceRun {
  const row: SourceRow = {
    run,
    eval: 'capitals',
    target: 'm',
    tags: [],
    status: 'success',
    samples: { total: 1, completed: 1, errored: 0 },
    scores: [],
    usd: null,
    start: '2026-03-01T00:00:00Z',
    end: '2026-03-01T00:00:00Z',
    durationMs: 0,
    ...more,
  };
  return { run, form, place: 'here', name: `${form} ${run}`, open: never, row };
}

function broken(run: RunId, form: RunForm): SourceRun {
  return { run, form, place: 'here', name: `${form} ${run}`, open: never, damage: 'broken' };
}
