import { describe, expect, test, vi } from 'vitest';
import type { Counts, RunSession, RunView, SampleEpoch, SampleItem } from '../../../src/server/api.ts';
import { compileSampleQuery } from '../../../src/views/index.ts';
import { changedCount, groupSettings, isShort } from './config/config-groups.ts';
import { costDomain, costParts, costSaid } from './cost/cost-parts.ts';
import { finishingCommands, firstLine } from './head/notice-words.ts';
import { sessionsSaid, sessionWords } from './head/session-words.ts';
import { outcomeParts, outcomesSaid, resultsSaid } from './overview/outcome-parts.ts';
import { scoreChart } from './overview/score-rows.ts';
import { binQuery, spreadBins, spreadSaid, spreadValues } from './overview/spread.ts';
import { foldRows, toggleOpen } from './samples/folded-rows.ts';
import { FAILING, isPresetOn, presetsFor, togglePreset } from './samples/presets.ts';
import { choosableSampleColumns, sampleColumnsNamed } from './samples/sample-columns.ts';
import { idBatches, resultsOf, stripsById } from './samples/sample-strips.ts';
import { epochToOpen, foldedScore } from './samples/sample-words.ts';

function epochWith(changed: Partial<SampleEpoch>): SampleEpoch {
  return { epoch: 1, outcome: 'pass', scores: {}, usd: null, tokens: 0, ...changed };
}

function sampleWith(epochs: readonly SampleEpoch[]): SampleItem {
  return { id: 'a', number: 1, input: '', target: '', metadata: {}, epochs: [...epochs] };
}

function countsWith(changed: Partial<Counts>): Counts {
  const none = {
    pass: 0,
    partial: 0,
    fail: 0,
    number: 0,
    error: 0,
    unscored: 0,
    running: 0,
    interrupted: 0,
    missing: 0,
  };
  const counts = { ...none, ...changed };
  return { total: Object.values({ ...counts, total: 0 }).reduce((sum, one) => sum + one, 0), ...counts };
}

describe('rows of samples whose epochs are folded', () => {
  const open = [
    { id: 'd', index: 3, epochs: 2 },
    { id: 'b', index: 1, epochs: 3 },
  ];

  test('the epochs of an open sample come under it', () => {
    const rows = foldRows(5, open);
    expect(rows.count).toBe(10);
    const seen = Array.from({ length: 10 }, (_, row) => {
      const { sample, epoch } = rows.at(row);
      return epoch === undefined ? `${sample}` : `${sample}.${epoch}`;
    });
    expect(seen).toEqual(['0', '1', '1.0', '1.1', '1.2', '2', '3', '3.0', '3.1', '4']);
  });

  test('the row of a sample is found again', () => {
    const rows = foldRows(5, open);
    for (const sample of [0, 1, 2, 3, 4])
      expect(rows.at(rows.rowOf(sample))).toEqual({ sample, epoch: undefined });
  });

  test('what is beyond the end of a shorter list is not counted', () => {
    expect(foldRows(2, open).count).toBe(5);
    expect(foldRows(0, open).count).toBe(0);
  });

  test('a sample is opened and closed', () => {
    const one = { id: 'x', index: 0, epochs: 2 };
    expect(toggleOpen(toggleOpen([], one), one)).toEqual([]);
  });
});

describe('filters that are often wanted', () => {
  test('one takes the place of another, and what was typed stays', () => {
    expect(togglePreset('cost>1 is:error', FAILING)).toBe('cost>1 is:failing');
    expect(togglePreset('cost>1 is:failing', FAILING)).toBe('cost>1');
    expect(isPresetOn('is:failing', FAILING)).toBe(true);
  });

  test('the filter language knows each of them', () => {
    for (const { term } of presetsFor(3)) expect(compileSampleQuery(term).wrong).toBe(undefined);
    expect(presetsFor(1).map(({ term }) => term)).not.toContain('is:flaky');
  });
});

describe('columns of samples', () => {
  const facts = {
    scores: ['judge', 'style'],
    score: 'judge',
    metadataKeys: ['level'],
    hasErrors: false,
    hasLimits: false,
    hasHistory: true,
    isWide: true,
  };

  test('the score that decides is told by the result; others have a column', () => {
    const names = sampleColumnsNamed([], facts).map(({ id }) => id);
    expect(names).toContain('score.style');
    expect(names).not.toContain('score.judge');
    expect(names).not.toContain('error');
    expect(sampleColumnsNamed([], { ...facts, hasErrors: true }).map(({ id }) => id)).toContain('error');
  });

  test('scores and metadata can be chosen, nonsense is as if it were not there', () => {
    expect(choosableSampleColumns(facts).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['score.judge', 'metadata.level', 'turns', 'limit']),
    );
    expect(sampleColumnsNamed(['metadata.level', 'nonsense'], facts).map(({ id }) => id)).toEqual([
      'metadata.level',
    ]);
    expect(sampleColumnsNamed(['nonsense'], facts)).toEqual(sampleColumnsNamed([], facts));
  });
});

describe('the last results of samples', () => {
  const idsOf = (columns: readonly { readonly id: string }[]) => columns.map(({ id }) => id);

  test('have a column where there is room for it, and none in an export', () => {
    const facts = {
      ...{ scores: [], score: undefined, metadataKeys: [], hasErrors: false, hasLimits: false },
      ...{ hasHistory: true, isWide: true },
    };
    expect(idsOf(sampleColumnsNamed([], facts))).toContain('history');
    expect(idsOf(sampleColumnsNamed([], { ...facts, isWide: false }))).not.toContain('history');
    expect(idsOf(sampleColumnsNamed(['history', 'id'], { ...facts, isWide: false }))).toContain('history');
    const exported = { ...facts, hasHistory: false };
    expect(idsOf(sampleColumnsNamed(['history', 'id'], exported))).toEqual(['id']);
    expect(idsOf(choosableSampleColumns(exported))).not.toContain('history');
  });

  test('ids are asked for in as many addresses as they need, and come back to their samples', () => {
    const ids = Array.from({ length: 250 }, (_, at) => `sample ${at}`);
    const batches = idBatches(ids);
    expect(batches.flat()).toEqual(ids);
    expect(Math.max(...batches.map((batch) => batch.length))).toBeLessThanOrEqual(100);
    const long = [0, 1, 2, 3].map((at) => `${at}${'ä'.repeat(600)}`);
    for (const batch of idBatches(long))
      expect(encodeURIComponent(JSON.stringify(batch)).length).toBeLessThan(6_100);
    expect(idBatches(['x'.repeat(9_000), 'a'])).toEqual([['a']]);
    const answer = { runs: [{ run: 'r', start: '' }], strips: ['p', 'f'] };
    const strips = stripsById([['a', 'b'], ['c']], [answer, undefined]);
    expect([...strips].map(([id, { letters }]) => [id, letters])).toEqual([
      ['a', 'p'],
      ['b', 'f'],
    ]);
  });

  test('each says its outcome, when it was and in which run; the last is this run', () => {
    const runs = [
      { run: 'r1', start: '2026-03-01T10:00:00Z' },
      { run: 'r2', start: '2026-03-02T10:00:00Z' },
    ];
    const [first, last] = resultsOf({ letters: 'f.', runs });
    expect(first).toMatchObject({ outcome: 'fail', word: 'failed' });
    expect(first?.told).toMatch(/^✗ failed · 2026-03-01 .* · r1$/);
    expect(last?.told).toContain('this run');
    expect(last?.outcome).toBe('missing');
  });
});

describe('a sample in its row', () => {
  test('is opened where it failed', () => {
    const of = (...outcomes: SampleEpoch['outcome'][]) =>
      epochToOpen(sampleWith(outcomes.map((outcome, at) => epochWith({ epoch: at + 1, outcome }))));
    expect(of('pass', 'error', 'fail')).toBe(3);
    expect(of('pass', 'error')).toBe(2);
    expect(of('pass', 'pass')).toBe(1);
  });

  test('has the mean of its numbers, else each word once', () => {
    const scored = (value: string | number, number?: number) =>
      epochWith({ scores: { s: { value, ...(number !== undefined && { number }) } } });
    expect(foldedScore(sampleWith([scored(1, 1), scored(0, 0)]), 's')).toBe('0.500');
    expect(foldedScore(sampleWith([scored('terse'), scored('terse'), scored('long')]), 's')).toBe(
      'terse · long',
    );
    expect(foldedScore(sampleWith([scored('terse')]), 'toString')).toBe('');
  });
});

describe('results', () => {
  test('the parts add up to the whole', () => {
    const counts = countsWith({ pass: 3, fail: 2, error: 1, missing: 4 });
    const parts = outcomeParts(counts);
    expect(parts.reduce((sum, { count }) => sum + count, 0)).toBe(counts.total);
    expect(parts.map(({ word }) => word)).toEqual(['passed', 'failed', 'error', 'missing']);
    expect(outcomeParts(counts, true).at(-1)?.word).toBe('to come');
  });

  test('each filter is understood, and what is not there has none', () => {
    const parts = outcomeParts(
      countsWith({
        pass: 1,
        partial: 1,
        fail: 1,
        number: 1,
        error: 1,
        unscored: 1,
        running: 1,
        interrupted: 1,
        missing: 1,
      }),
    );
    for (const { term } of parts)
      if (term !== undefined) expect(compileSampleQuery(term).wrong).toBe(undefined);
    expect(parts.find(({ outcome }) => outcome === 'missing')?.term).toBe(undefined);
  });

  test('are said in words', () => {
    expect(outcomesSaid(countsWith({ pass: 3, fail: 1 }))).toBe('3 of 4 passed (75 %)');
    expect(outcomesSaid(countsWith({ number: 4 }))).toBe('4 of 4 scored with a number');
    expect(outcomesSaid(countsWith({}))).toBe('No results');
    expect(resultsSaid(countsWith({ pass: 6 }), 3)).toBe('6 results: 2 samples at 3 epochs');
    expect(resultsSaid(countsWith({ pass: 7 }), 3)).toBe('7 results at up to 3 epochs');
  });
});

describe('scores on an axis', () => {
  const score = { scorer: 's', name: 's', metric: 'accuracy', value: 0.7, low: 0.6, high: 0.8 };

  test('shares share it; other units and spreads have no place on it', () => {
    const { rows, axis } = scoreChart(
      [score, { ...score, metric: 'stderr', value: 0.02 }, { ...score, metric: 'seconds', value: 12 }],
      0.65,
    );
    expect(axis).toEqual([0.5, 0.9]);
    expect(rows[0]?.at).toBeCloseTo(0.5);
    expect(rows[0]?.before).toBeCloseTo(0.375);
    expect(rows.slice(1).map(({ at }) => at)).toEqual([undefined, undefined]);
  });

  test('a score that is not known is not drawn', () => {
    expect(scoreChart([{ ...score, value: null }], undefined).rows[0]).toMatchObject({ at: undefined });
    expect(scoreChart([], undefined).axis).toEqual([0, 1]);
  });
});

describe('how numbers lie', () => {
  const values = spreadValues(
    [0.9, 0.1, 0.5, 1, Number.NaN].map((value) =>
      sampleWith([epochWith({ scores: { s: { value: 0, number: value } } })]),
    ),
    's',
  );

  test('what is no number is left out, the rest is in order', () => {
    expect(values.map(({ value }) => value)).toEqual([0.1, 0.5, 0.9, 1]);
  });

  test('bins have them all, and their filters are understood', () => {
    const bins = spreadBins(values);
    expect(bins).toHaveLength(20);
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(bins.at(-1)?.count).toBe(1);
    for (const [index, bin] of bins.entries())
      expect(compileSampleQuery(binQuery(bin, index === 19)).wrong).toBe(undefined);
  });

  test('the middle half is the finding', () => {
    expect(spreadSaid(values, 's')).toContain('median');
    expect(spreadSaid([], 's')).toBe('No number yet');
  });
});

describe('money', () => {
  const models = (usd: number | null) => [
    { model: 'm', input: 0, output: 0, cached: 0, reasoning: 0, total: 0, usd: 9 },
    { model: 'judge', input: 0, output: 0, cached: 0, reasoning: 0, total: 0, usd },
  ];
  const cost = { usd: 10, perSolvedUsd: 1, wastedUsd: 2, savedUsd: 4, models: models(1) };

  test('the parts end at what was spent, and what was saved goes the other way', () => {
    const parts = costParts({ cost, model: 'm' });
    expect(parts.map(({ key, usd }) => [key, usd])).toEqual([
      ['results', 7],
      ['others', 1],
      ['wasted', 2],
      ['spent', 10],
      ['saved', 4],
    ]);
    expect(parts.find(({ key }) => key === 'wasted')?.bar).toEqual([8, 10]);
    expect(costDomain(parts)).toEqual([-4, 10]);
  });

  test('unknown is never nothing', () => {
    const parts = costParts({
      cost: { ...cost, wastedUsd: null, savedUsd: null, models: models(null) },
      model: 'm',
    });
    for (const key of ['others', 'wasted', 'saved'])
      expect(parts.find((part) => part.key === key)?.usd).toBe(null);
    expect(costSaid({ ...cost, usd: null })).toBe('Nobody knows what it cost');
    expect(costSaid({ ...cost, wastedUsd: null })).toContain('not known');
    expect(costSaid(cost)).toBe('$10.00 was spent; $2.00 (20 %) was wasted, and $4.00 saved');
  });
});

describe('settings', () => {
  const config: RunView['config'] = [
    { group: 'a', key: 'x', value: 1, isChanged: true, previous: 2 },
    { group: 'b', key: 'y', value: 'text', isChanged: false },
    { group: 'a', key: 'z', value: null, isChanged: false },
  ];

  test('are grouped, and those that changed counted', () => {
    expect(groupSettings(config).map(({ group, settings }) => [group, settings.length])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(changedCount({ config })).toBe(1);
  });

  test('long ones are folded', () => {
    expect([isShort('short'), isShort('a\n'.repeat(9)), isShort('x'.repeat(500)), isShort({ a: 1 })]).toEqual(
      [true, false, false, true],
    );
  });
});

describe('sessions', () => {
  const session = (ended: RunSession['ended'], lostUsd?: number): RunSession => ({
    start: '2026-11-17T09:00:00Z',
    ended,
    how: ended,
    said: '',
    ...(lostUsd !== undefined && { lostUsd }),
  });

  test('a crash that another session followed was recovered', () => {
    expect(sessionsSaid([session('died', 0), session('finished')])).toBe(
      '2 sessions, 1 crash recovered, $0 lost',
    );
    expect(sessionsSaid([session('finished')])).toBe('1 session');
    expect(sessionsSaid([session('died')])).toBe('1 session, died');
  });

  test('the end of one is told in the time of whoever reads it', () => {
    vi.stubEnv('TZ', 'Asia/Tokyo');
    const died = { ...session('died'), end: '2026-11-17T05:02:30Z', said: '112 kept, 6 replayed, $0 lost' };
    expect(sessionWords(died)).toBe('died at 14:02, 112 kept, 6 replayed, $0 lost');
    expect(sessionWords({ ...session('running'), said: '' })).toBe('running');
    vi.unstubAllEnvs();
  });

  test('of all commands those are told that go on with the run', () => {
    const commands = ['holdfast results show x', 'holdfast recover x', 'holdfast runner'].map((command) => ({
      what: '',
      command,
    }));
    expect(finishingCommands(commands).map(({ command }) => command)).toEqual(['holdfast recover x']);
    expect(firstLine('\n one\ntwo')).toBe('one');
  });
});
