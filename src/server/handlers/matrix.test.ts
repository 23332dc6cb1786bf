import { beforeEach, describe, expect, test } from 'vitest';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { type FixtureLog, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { Json } from '../../base/index.ts';
import type { MatrixView } from '../api.ts';
import { matrix } from './matrix.ts';

const dir = useTempDir();
let days = 0;
beforeEach(() => {
  days = 0;
});

const sample = (id: string | number, value: Json, epoch = 1) => ({
  fields: fixtureFields(id, { epoch, scores: value === null ? {} : { exact: { value } } }),
  events: [],
});
const rowsOf = (values: Readonly<Record<string, Json>>, more: FixtureLog = {}): FixtureLog => ({
  ...more,
  samples: Object.entries(values).map(([id, value]) => sample(id, value)),
});

async function run(log: FixtureLog): Promise<string> {
  const id = runOfDay(++days);
  return await writeRun(dir.path, id, log).then(() => id);
}

async function asked(query: Parameters<typeof ask<'matrix'>>[3] = {}): Promise<MatrixView> {
  await using studio = await studioOfLogs({ logs: dir.path });
  return await ask(studio, 'matrix', matrix, query);
}

const lines = ({ samples, runs, cells }: MatrixView) =>
  samples.map((id, row) => `${id} ${cells.slice(row * runs.length, (row + 1) * runs.length)}`);

describe('samples × runs', () => {
  test('what changes most often comes first, then what is harder; oldest run first', async () => {
    await run(rowsOf({ always: 'C', never: 'I', flips: 'C', once: 'C' }));
    await run(rowsOf({ always: 'C', never: 'I', flips: 'I', once: 'C' }));
    await run(rowsOf({ always: 'C', never: 'I', flips: 'C', once: 'I' }));
    const found = await asked();
    expect(lines(found)).toEqual(['flips pfp', 'once ppf', 'never fff', 'always ppp']);
    expect(found.runs.map(({ run: id }) => id)).toEqual([1, 2, 3].map(runOfDay));
    expect([found.score, found.heat]).toEqual(['exact', '']);
  });

  test('every outcome has its letter, and what a run has not got is missing', async () => {
    const error = { error: { message: 'x', traceback: '', traceback_ansi: '' } };
    await run({
      samples: [
        sample('a', 'C'),
        sample('b', 'P'),
        sample('c', null),
        { fields: fixtureFields('d', { scores: {}, ...error }), events: [] },
        sample(1, 'I'),
      ],
    });
    await run({ samples: [sample('a', 'C'), sample('1', 'C')] });
    expect(lines(await asked()).sort()).toEqual(['1 fp', 'a pp', 'b h.', 'c u.', 'd e.']);
  });

  test('numbers have their heat at the same places', async () => {
    await run(rowsOf({ a: 0, b: 10 }));
    await run(rowsOf({ a: 4.9, b: null }));
    const found = await asked();
    expect(lines(found)).toEqual(['a nn', 'b nu']);
    expect(found.heat).toBe('049 ');
  });

  test('epochs are folded in each run by itself', async () => {
    await run({ samples: [sample('a', 4, 1), sample('a', 8, 2), sample('b', 10)] });
    await run({ samples: [sample('a', 0, 1), sample('a', 2, 2), sample('b', 5)] });
    const found = await asked();
    expect(lines(found)).toEqual(['a nn', 'b nn']);
    // Means of 6 and 1, and 10 and 5, between 1 and 10.
    expect(found.heat).toBe('5094');
  });

  test('runs that are named stay in their order; a damaged one is a column of nothing', async () => {
    const first = await run(rowsOf({ a: 'C' }));
    const second = await run(rowsOf({ a: 'I' }));
    const third = runOfDay(++days);
    await damageMember(await writeRun(dir.path, third, rowsOf({ a: 'C' })), 'summaries.json');
    const found = await asked({ query: { runs: [second, third, first].join(',') } });
    expect([found.runs.map(({ run: id }) => id), lines(found)]).toEqual([[second, third, first], ['a f.p']]);
  });

  test('the newest that a filter leaves, of the eval of the newest of them', async () => {
    const ofEval = (task: string) => ({ spec: { task } });
    await run(rowsOf({ a: 'C' }, ofEval('one')));
    const second = await run(rowsOf({ a: 'C' }, ofEval('two')));
    const third = await run(rowsOf({ a: 'C' }, ofEval('one')));
    await run(rowsOf({ a: 'I' }, ofEval('two')));
    const runsOf = async (query: object) => (await asked({ query })).runs.map(({ run: id }) => id);
    expect(await runsOf({})).toEqual([second, runOfDay(4)]);
    expect(await runsOf({ limit: 1 })).toEqual([runOfDay(4)]);
    expect(await runsOf({ q: 'eval:one', limit: 1 })).toEqual([third]);
    await expect(runsOf({ q: 'nope:x' })).rejects.toMatchObject({ code: 'E_FILTER' });
    expect(await runsOf({ q: 'eval:three' })).toEqual([]);
  });
});
