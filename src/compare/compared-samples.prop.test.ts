import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf, type Json, type SampleId } from '../base/index.ts';
import { countFlips, samplesInRuns } from './compared-samples.ts';
import type { RunTable } from './run-table.ts';
import { sampleCells, toldFigure } from './sample-cells.ts';

interface Row {
  readonly id: SampleId;
  readonly epoch: number;
  readonly state: 'completed' | 'errored' | 'unfinished';
  readonly value: Json;
}

const row: fc.Arbitrary<Row> = fc.record({
  id: fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constantFrom('a', 'b', 'c', '1')),
  epoch: fc.integer({ min: 1, max: 3 }),
  state: fc.constantFrom(
    'completed' as const,
    'completed' as const,
    'errored' as const,
    'unfinished' as const,
  ),
  value: fc.oneof(
    fc.constantFrom<Json>('C', 'I', 'P', true, false, null, Number.NaN, 0, 1),
    fc.double({ min: 0, max: 2, noNaN: true }),
  ),
});

/** One row a sample and epoch, as a table has them. */
const table = fc.array(row, { maxLength: 30 }).map((rows): RunTable => {
  const once = [...new Map(rows.map((one) => [`${one.id} ${one.epoch}`, one])).values()];
  const nothing = once.map(() => Number.NaN);
  return {
    identity: {
      ...{
        eval: 'e',
        version: '0',
        model: 'm',
        isDirty: false,
        dataset: '',
        scorers: '',
        steps: [],
        limits: '',
      },
      ...{ taskArgs: digestOf('p'), modelSettings: digestOf('p') },
    },
    evalId: 'e',
    scorers: ['one'],
    facts: {
      ...{ name: 'n', run: 'r', place: 'p', eval: 'e', model: 'm', status: 'success', start: '' },
      samples: { completed: once.length, errored: 0, unfinished: 0 },
    },
    ids: once.map(({ id }) => id),
    epochs: once.map(({ epoch }) => epoch),
    states: once.map(({ state }) => state),
    figures: new Map([['one', once.map(({ value }) => value)]]),
    errors: new Map(),
    ...{ usd: nothing, tokens: nothing, seconds: nothing, turns: nothing, rows: nothing },
    ...{ inputs: once.map(() => ''), answers: once.map(() => '') },
  };
});

const sum = (counts: object) => Object.values(counts).reduce<number>((total, one) => total + Number(one), 0);
const idsOf = (...tables: readonly RunTable[]) => new Set(tables.flatMap(({ ids }) => ids.map(String)));

test('flips add up: every sample of either run is in one of the counts', () => {
  fc.assert(
    fc.property(table, table, (one, other) => {
      const told = toldFigure([one, other], undefined);
      const counts = countFlips(sampleCells(one, told), sampleCells(other, told));
      expect(sum(counts)).toBe(idsOf(one, other).size);
      expect(counts.notInAfter).toBe([...idsOf(one)].filter((id) => !idsOf(other).has(id)).length);
    }),
  );
});

test('swapping the runs mirrors the flips', () => {
  fc.assert(
    fc.property(table, table, (one, other) => {
      const told = toldFigure([one, other], undefined);
      const [a, b] = [sampleCells(one, told), sampleCells(other, told)];
      const there = countFlips(a, b);
      expect(countFlips(b, a)).toEqual({
        ...there,
        onlyBefore: there.onlyAfter,
        onlyAfter: there.onlyBefore,
        notInBefore: there.notInAfter,
        notInAfter: there.notInBefore,
      });
    }),
  );
});

test('the table has every sample of every run once, whatever the runs are', () => {
  fc.assert(
    fc.property(fc.array(table, { minLength: 2, maxLength: 6 }), (tables) => {
      const rows = samplesInRuns(tables, toldFigure(tables, undefined));
      expect(rows.map(({ id }) => String(id)).sort()).toEqual([...idsOf(...tables)].sort());
      for (const { cells, is } of rows) {
        expect(cells.length).toBe(tables.length);
        if (cells[0] === undefined) expect(is).toBe('only in some');
      }
    }),
  );
});

test('what went down goes up when the runs are swapped, and a run beside itself is the same', () => {
  const MIRROR = {
    regressed: 'improved',
    improved: 'regressed',
    same: 'same',
    'only in some': 'only in some',
  } as const;
  fc.assert(
    fc.property(table, table, (one, other) => {
      const told = toldFigure([one, other], undefined);
      const there = samplesInRuns([one, other], told);
      const back = samplesInRuns([other, one], told);
      expect(back.map(({ is }) => is)).toEqual(there.map(({ is }) => MIRROR[is]));
      expect(samplesInRuns([one, one], told).every(({ is }) => is === 'same')).toBe(true);
    }),
  );
});
