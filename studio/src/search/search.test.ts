import { describe, expect, test } from 'vitest';
import type { AnswerOf, SearchHit } from '../../../src/server/api.ts';
import type { StudioData } from '../data/studio-data.ts';
import { countHits, groupHits } from './search-groups.ts';
import { SearchSession } from './search-session.ts';

const hit = (run: string, sample: string | number | undefined, event = 1): SearchHit => ({
  run,
  eval: 'e',
  target: 't',
  where: 'model',
  before: '',
  hit: 'x',
  after: '',
  event,
  ...(sample !== undefined && { sample, epoch: 1 }),
});

describe('hits', () => {
  test('are in groups by run and sample, in the order in which they were found', () => {
    const rows = groupHits([
      hit('r1', 'a'),
      hit('r2', 'a'),
      hit('r1', 'b'),
      hit('r1', 'a', 2),
      hit('r2', undefined),
    ]);
    expect(
      rows.map((row) => [row.kind, row.hit.run, row.hit.sample, 'hits' in row ? row.hits : row.hit.event]),
    ).toEqual([
      ['run', 'r1', 'a', 3],
      ['sample', 'r1', 'a', 2],
      ['hit', 'r1', 'a', 1],
      ['hit', 'r1', 'a', 2],
      ['sample', 'r1', 'b', 1],
      ['hit', 'r1', 'b', 1],
      ['run', 'r2', 'a', 2],
      ['sample', 'r2', 'a', 1],
      ['hit', 'r2', 'a', 1],
      ['hit', 'r2', undefined, 1],
    ]);
    expect(groupHits([])).toEqual([]);
  });

  test('are counted by run and by sample; 1 and "1" are two samples', () => {
    expect(countHits([hit('r1', 1), hit('r1', '1'), hit('r1', 1, 2), hit('r2', undefined)])).toEqual({
      hits: 4,
      samples: 2,
      runs: 2,
    });
  });
});

describe('a search', () => {
  const line = (given: Partial<AnswerOf<'search'>>): AnswerOf<'search'> => ({
    hits: [],
    runsSearched: 1,
    runsOf: 3,
    samplesSearched: 10,
    isDone: false,
    isAll: true,
    problems: [],
    ...given,
  });
  /** Only what is asked of it here. */
  const dataOf = (lines: (signal: AbortSignal) => AsyncGenerator<AnswerOf<'search'>>): StudioData =>
    ({
      lines: (_name: string, _asked: object, signal: AbortSignal) => lines(signal),
    }) as Partial<StudioData> as StudioData;
  const ended = (session: SearchSession) =>
    new Promise<void>((resolve) => {
      const look = () => session.state.is !== 'searching' && resolve();
      session.watch(look);
      look();
    });

  test('gathers what comes, line by line, with what could not be searched', async () => {
    const problem = { code: 'E_TORN', message: 'torn', hint: '' };
    const session = new SearchSession(
      dataOf(async function* () {
        yield line({ hits: [hit('r1', 'a')], problems: [problem] });
        yield line({
          hits: [hit('r2', 'b')],
          runsSearched: 3,
          isDone: true,
          isAll: false,
          problems: [problem],
        });
      }),
      { text: 'x' },
    );
    await ended(session);
    expect(session.state).toMatchObject({ is: 'done', runsSearched: 3, isAll: false, problems: [problem] });
    expect(session.state.hits.map(({ run }) => run)).toEqual(['r1', 'r2']);
  });

  test('that is stopped keeps what it found, and takes nothing more', async () => {
    const session = new SearchSession(
      dataOf(async function* (signal) {
        yield line({ hits: [hit('r1', 'a')] });
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        yield line({ hits: [hit('r9', 'z')] });
      }),
      { text: 'x' },
    );
    await new Promise<void>((resolve) => {
      session.watch(resolve);
    });
    session.stop();
    await Promise.resolve();
    expect(session.state.is).toBe('stopped');
    expect(session.state.hits.map(({ run }) => run)).toEqual(['r1']);
  });

  test('that fails says why, and keeps what it found', async () => {
    const session = new SearchSession(
      dataOf(async function* () {
        yield line({ hits: [hit('r1', 'a')] });
        throw new Error('gone');
      }),
      { text: 'x' },
    );
    await ended(session);
    expect(session.state).toMatchObject({ is: 'failed', error: new Error('gone') });
    expect(session.state.hits).toHaveLength(1);
  });
});
