import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type IndexedStudio, indexedStudio } from '../../../test/sim/indexed-studio.ts';
import { type FixtureLog, fixtureFields, fixtureSpec } from '../../../test/sim/log-fixture.ts';
import { GIT_ENV, initRepository, openResults, runIdAt, writeRun } from '../../../test/sim/results-repo.ts';
import { ask } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { type RunId, systemClock, systemRandom } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { removeRun, tagRun } from '../../results/index.ts';
import { openFolder, type RunSource, resultsSource } from '../../sources/index.ts';
import type { AskedOf, RunsPage } from '../api.ts';
import { about } from './about.ts';
import { evals } from './evals-list.ts';
import { runChanges } from './run-changes.ts';
import { runs, runWords } from './runs.ts';
import { say } from './say.ts';
import { store } from './store.ts';

const dir = useTempDir();
let logs: string;
beforeEach(() => {
  logs = join(dir.path, 'logs');
  mkdirSync(logs);
});

const id = (n: number) => runIdAt(`2026-03-${String(n).padStart(2, '0')}T00:00:00Z`, n);

/** A run of so many samples, of which the first so many passed. */
function log(
  passed: number,
  of: number,
  more: { readonly task?: string; readonly model?: string } = {},
): FixtureLog {
  const samples = Array.from({ length: of }, (_, n) => ({
    fields: fixtureFields(`s${n}`, { scores: { exact: { value: n < passed ? 'C' : 'I' } } }),
    events: [],
  }));
  const { task = 'capitals', model = 'mock/one' } = more;
  const metrics = { accuracy: { name: 'accuracy', value: passed / of, params: {} } };
  return {
    spec: { task, model },
    header: {
      eval: fixtureSpec({ task, model }),
      results: {
        total_samples: of,
        completed_samples: of,
        scores: [{ name: 'exact', scorer: 'exact', params: {}, metrics }],
      },
    },
    samples,
  };
}

const write = (n: number, content: FixtureLog) => {
  const spec = { ...content.header?.eval, run_id: id(n) };
  const header = { ...content.header, eval: fixtureSpec(spec) };
  return writeRun(logs, id(n), { ...content, header });
};

const folder = (): Promise<readonly RunSource[]> =>
  openFolder(logs, { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV, cwd: logs });

async function studioOf(sources: readonly RunSource[]): Promise<IndexedStudio> {
  const studio = indexedStudio(sources);
  await studio.whole();
  return studio;
}

const list = (studio: IndexedStudio, query: AskedOf<'runs'> = {}): Promise<RunsPage> =>
  ask(studio, 'runs', runs, { query });
const daysOf = ({ runs: found }: RunsPage) => found.map(({ run }) => Number(run.slice(6, 8)));

describe('runs', () => {
  test('are the newest as they are until all were read once, and what is wrong with a filter is told', async () => {
    for (const n of [1, 2]) await write(n, log(n, 4));
    const gate = Promise.withResolvers<void>();
    const hanging: RunSource = {
      place: 'slow',
      kind: 'logs',
      // biome-ignore lint/correctness/useYield: nothing ever comes.
      async *runs() {
        await gate.promise;
      },
      find: async () => undefined,
      async [Symbol.asyncDispose]() {
        gate.resolve();
      },
    };
    const studio = indexedStudio([...(await folder()), hanging]);
    const page = await list(studio, { q: 'eval:none cost>cheap' });
    expect(daysOf(page)).toEqual([2, 1]);
    expect(page).toMatchObject({ index: { isWhole: false }, wrong: { at: 15 } });
    gate.resolve();
    await studio.whole();
    expect((await list(studio, { q: 'eval:none' })).total).toBe(0);
    await studio[Symbol.asyncDispose]();
  });

  test('are filtered, sorted and cut on the server, with what is wrong and the command that gives the same', async () => {
    for (const n of [1, 2, 3, 4]) await write(n, log(n, 4, { task: n % 2 ? 'odd' : 'even' }));
    writeFileSync(join(logs, '2026-03-09T00-00-00+00-00_torn.eval'), 'PK no log');
    await using studio = await studioOf(await folder());
    const all = await list(studio);
    expect(daysOf(all)).toEqual([9, 4, 3, 2, 1]);
    expect(all).toMatchObject({
      total: 5,
      all: 5,
      offset: 0,
      live: [],
      problems: [],
      index: { isWhole: true },
    });
    expect(all.runs[0]).toMatchObject({ damage: expect.any(String) });
    expect(daysOf(await list(studio, { q: 'eval:odd' }))).toEqual([3, 1]);
    expect(daysOf(await list(studio, { q: 'is:damaged' }))).toEqual([9]);
    const page = await list(studio, { q: 'score>0.3', sort: 'score', offset: 1, limit: 1 });
    expect(page).toMatchObject({ offset: 1, total: 3, all: 5 });
    expect(daysOf(page)).toEqual([3]);
    expect(page.command).toContain(`--where 'score>0.3' --sort=score`);
    expect(page.command).toContain(`--source ${logs}`);
    const wrong = await list(studio, { q: 'eval:odd cost>cheap' });
    expect(wrong.wrong).toMatchObject({ at: 14 });
    expect(daysOf(wrong)).toEqual([3, 1]);
  });

  test('carry the run before, the difference and the trend of the same eval, target and score', async () => {
    for (const n of [1, 2, 3]) await write(n, log(n, 4));
    await write(4, log(4, 4, { model: 'mock/other' }));
    for (let n = 5; n < 20; n++) await write(n, log(2, 4, { task: 'long' }));
    await using studio = await studioOf(await folder());
    const { runs: found } = await list(studio, { q: 'eval:capitals' });
    expect(found.map(({ previous }) => previous)).toEqual([
      undefined,
      { run: id(2), difference: 0.25 },
      { run: id(1), difference: 0.25 },
      undefined,
    ]);
    expect(found[1]?.trend?.map(({ run, value }) => [run, value])).toEqual([
      [id(1), 0.25],
      [id(2), 0.5],
      [id(3), 0.75],
    ]);
    expect(found[3]?.trend).toBeUndefined();
    const long = await list(studio, { q: 'eval:long', limit: 1 });
    expect(long.runs[0]?.trend).toHaveLength(12);
    expect(long.runs[0]?.trend?.at(-1)?.run).toBe(id(19));
    expect(daysOf(await list(studio, { q: 'eval:capitals target:mock/one', sort: '-change' }))).toEqual([
      3, 2, 1,
    ]);
  });

  test('that were removed are hidden and no part of a trend, unless they are asked for', async () => {
    initRepository(join(dir.path, 'repo'));
    const repo = await openResults(join(dir.path, 'repo'));
    for (const n of [1, 2, 3]) await repo.publish(await write(n, log(n, 4)));
    await removeRun(repo.store, [id(2) as RunId]);
    await tagRun(repo.store, [id(1) as RunId], ['base']);
    await using studio = await studioOf([resultsSource(repo.store)]);
    const page = await list(studio);
    expect(daysOf(page)).toEqual([3, 1]);
    expect(page).toMatchObject({ total: 2, all: 2 });
    expect(page.runs[0]?.previous?.run).toBe(id(1));
    expect(daysOf(await list(studio, { q: 'is:removed' }))).toEqual([2]);
    expect(daysOf(await list(studio, { q: 'tag:base' }))).toEqual([1]);
    expect(page.command).toBe('holdfast results list');
    expect(await ask(studio, 'runWords', runWords)).toEqual({
      evals: [{ word: 'capitals', count: 2 }],
      targets: [{ word: 'mock/one', count: 2 }],
      tags: [{ word: 'base', count: 1 }],
      statuses: [{ word: 'success', count: 2 }],
    });
  });
});

test('what was just said is in the next answer, and told to all', async () => {
  initRepository(join(dir.path, 'repo'));
  const repo = await openResults(join(dir.path, 'repo'));
  await repo.publish(await write(1, log(1, 4)));
  await using studio = await studioOf([resultsSource(repo.store)]);
  const control = new AbortController();
  const told = studio.listen(control.signal);
  await ask(studio, 'say', say, { body: { kind: 'tag', runs: [id(1)], tag: 'good' } });
  expect((await list(studio, { q: 'tag:good' })).total).toBe(1);
  expect(told).toContainEqual({ kind: 'notes', runs: [id(1)] });
  control.abort();
});

describe('changes of runs', () => {
  test('are judged by the paired test over samples, once for each pair', async () => {
    await write(1, log(30, 40));
    await write(2, log(10, 40));
    await write(3, log(11, 40));
    await write(4, log(1, 1, { task: 'alone' }));
    await using studio = await studioOf(await folder());
    const asked = () =>
      ask(studio, 'runChanges', runChanges, { query: { runs: [1, 2, 3, 4].map(id).join(',') } });
    const { changes } = await asked();
    expect(changes).toHaveLength(2);
    expect(changes).toContainEqual({
      run: id(2),
      previous: id(1),
      is: 'real',
      isBetter: false,
      difference: -0.5,
      low: expect.any(Number),
      high: expect.any(Number),
      improved: 0,
      regressed: 20,
    });
    expect(changes).toContainEqual(
      expect.objectContaining({ run: id(3), previous: id(2), is: 'cannot tell', improved: 1, regressed: 0 }),
    );
    expect(await asked()).toEqual({ changes });
  });

  test('one of which cannot be read is unknown, and whoever goes away is not waited for', async () => {
    await write(1, log(3, 4));
    const path = await write(2, log(2, 4));
    await using studio = await studioOf(await folder());
    writeFileSync(path, 'PK it was cut off since');
    const query = { runs: id(2) };
    const { changes } = await ask(studio, 'runChanges', runChanges, { query });
    expect(changes).toEqual([{ run: id(2), previous: id(1), is: 'unknown' }]);
    const control = new AbortController();
    control.abort(new Error('gone'));
    await expect(ask(studio, 'runChanges', runChanges, { query, signal: control.signal })).rejects.toThrow();
  });
});

describe('evals, store and about', () => {
  test('every eval with its last run, its targets and its trend', async () => {
    await write(1, log(1, 4));
    await write(2, log(2, 4));
    await write(3, log(2, 4, { model: 'mock/two' }));
    await write(4, log(2, 4, { task: 'other' }));
    await using studio = await studioOf(await folder());
    expect(await ask(studio, 'evals', evals)).toMatchObject({
      isWhole: true,
      evals: [
        { eval: 'other', runs: 1, targets: ['mock/one'], last: { run: id(4) }, trend: [] },
        { eval: 'capitals', runs: 3, targets: ['mock/one', 'mock/two'], last: { run: id(3) } },
      ],
    });
  });

  test('where runs come from, what waits, and what is wrong', async () => {
    await write(1, log(1, 4));
    writeFileSync(join(logs, '2026-03-09T00-00-00+00-00_torn.eval'), 'PK no log');
    await using without = await studioOf(await folder());
    const bare = await ask(without, 'store', store);
    expect(bare.results).toBeUndefined();
    expect(bare.sources).toMatchObject([
      { kind: 'logs', place: logs, runs: 2, damaged: 1 },
      { kind: 'journals' },
    ]);
    expect(bare.health.map(({ said }) => said).join('\n')).toMatch(
      /1 run of 2 in .* cannot be read.*\n.*results init/,
    );
    expect(await ask(without, 'about', about)).toMatchObject({
      places: [logs, join(logs, '.holdfast')],
      canWrite: false,
      whyNot: expect.stringContaining('results init'),
      isExport: false,
    });

    initRepository(join(dir.path, 'remote'), '--bare');
    initRepository(join(dir.path, 'repo'));
    const repo = await openResults(join(dir.path, 'repo'));
    await repo.publish(join(logs, `${id(1)}.eval`));
    await using studio = await studioOf([resultsSource(repo.store)]);
    const found = await ask(studio, 'store', store);
    expect(found).toMatchObject({
      results: { branch: 'holdfast/results', commit: expect.stringMatching(/^[0-9a-f]{40}$/), unread: [] },
      index: { isWhole: true, read: 1 },
      health: [{ is: 'good' }],
      commands: [{ command: expect.stringContaining('results sync --repo') }, {}, {}],
    });
    expect(await ask(studio, 'about', about)).toMatchObject({
      canWrite: true,
      commit: found.results?.commit,
    });
  });
});
