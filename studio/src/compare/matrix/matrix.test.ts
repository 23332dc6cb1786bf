import { describe, expect, test } from 'vitest';
import type { MatrixView, RunItem } from '../../../../src/server/api.ts';
import { css, heatColour, mix, parseHex, readColours } from './matrix-colours.ts';
import {
  cellSize,
  columnName,
  GROUP_HEAD,
  labelStep,
  layMatrix,
  movedCursor,
  rowAt,
  topOfRow,
} from './matrix-layout.ts';
import { matrixModel, standingOf } from './matrix-model.ts';
import { matrixImage } from './paint-matrix.ts';

const run = (at: number): RunItem => ({ run: `r${at}`, form: 'log', place: '', name: `r${at}` });
const viewOf = (rows: readonly string[], heat: readonly string[] = []): MatrixView => ({
  runs: Array.from({ length: rows[0]?.length ?? 0 }, (_, at) => run(at)),
  samples: rows.map((_, at) => `s${at}`),
  cells: rows.join(''),
  heat: heat.join(''),
});

describe('the rows of a matrix', () => {
  test('are told by what was judged of them', () => {
    expect(standingOf('ppfh.e')).toEqual({ judged: 4, passed: 2.5, flips: 2 });
    expect(standingOf('....')).toEqual({ judged: 0, passed: 0, flips: 0 });
  });

  test('are in groups; what flips most comes first, then what is hardest', () => {
    const { groups } = matrixModel(viewOf(['pppp', 'ffff', 'pfpf', 'pppf', 'fffp', '.e.u', 'hhhh', 'p.pp']));
    expect(groups).toEqual([
      { name: 'flips', rows: [2, 4, 3, 6] },
      { name: 'always fails', rows: [1] },
      { name: 'always passes', rows: [0, 7] },
      { name: 'not judged', rows: [5] },
    ]);
  });

  test('a group that nothing is in is not there; outcomes and heats are at their places', () => {
    const model = matrixModel(viewOf(['pn', 'fn'], [' 3', ' 9']));
    expect(model.groups.map(({ name }) => name)).toEqual(['always fails', 'always passes']);
    expect([model.outcomeAt(0, 0), model.outcomeAt(1, 1), model.outcomeAt(9, 9)]).toEqual([
      'pass',
      'number',
      'missing',
    ]);
    expect([model.heatAt(0, 0), model.heatAt(0, 1), model.heatAt(1, 1)]).toEqual([undefined, 3, 9]);
  });
});

describe('where they are', () => {
  const model = matrixModel(viewOf(['pf', 'fp', 'ff', 'pp']));
  const size = { cell: 10, wide: 20 };

  test('rows follow the line of their group; folded ones are nowhere', () => {
    const layout = layMatrix(model.groups, new Set(['always fails']), size);
    expect(layout.groups.map(({ top, rowsTop }) => [top, rowsTop])).toEqual([
      [0, GROUP_HEAD],
      [56, 84],
      [84, 112],
    ]);
    expect([layout.height, layout.shown]).toEqual([130, [0, 1, 3]]);
    expect([rowAt(layout, 5), rowAt(layout, 30), rowAt(layout, 47), rowAt(layout, 115)]).toEqual([
      undefined,
      0,
      1,
      3,
    ]);
    expect([topOfRow(layout, 1), topOfRow(layout, 2), topOfRow(layout, 3)]).toEqual([38, undefined, 112]);
  });

  test('cells are as large as there is room, or squares of the size that is asked for', () => {
    const room = { rows: 2_000, columns: 50, width: 1_200, height: 700 };
    expect(cellSize(0, room)).toEqual({ cell: 4, wide: 24 });
    expect(cellSize(0, { ...room, rows: 300, height: 300 })).toEqual({ cell: 14, wide: 24 });
    expect(cellSize(8, room)).toEqual({ cell: 8, wide: 8 });
    expect(cellSize(Number.NaN, { ...room, rows: 40, columns: 9 })).toEqual({ cell: 14, wide: 36 });
    expect(cellSize(99, { ...room, rows: 40, columns: 500 })).toEqual({ cell: 4, wide: 4 });
    expect([4, 8, 14, 30].map(labelStep)).toEqual([4, 2, 1, 1]);
    expect([columnName(1, 6), columnName(1, 7)]).toEqual(['B', '2']);
  });

  test('the cursor goes through rows as they are shown, and stops at the ends', () => {
    const layout = layMatrix(model.groups, new Set(['always fails']), size);
    const go = (key: string, from?: { row: number; column: number }) => movedCursor(layout, 2, from, key);
    expect(go('ArrowDown')).toEqual({ row: 0, column: 0 });
    expect(go('ArrowDown', { row: 1, column: 1 })).toEqual({ row: 3, column: 1 });
    expect(go('ArrowDown', { row: 3, column: 1 })).toEqual({ row: 3, column: 1 });
    expect(go('ArrowLeft', { row: 0, column: 0 })).toEqual({ row: 0, column: 0 });
    expect(go('End', { row: 0, column: 0 })).toEqual({ row: 0, column: 1 });
    expect(go('PageDown', { row: 0, column: 0 })).toEqual({ row: 3, column: 0 });
    expect(go('a', { row: 0, column: 0 })).toBeUndefined();
    expect(movedCursor(layMatrix([], new Set(), size), 0, undefined, 'ArrowDown')).toBeUndefined();
  });
});

describe('colours', () => {
  test('are read from the tokens, also where the build made them shorter', () => {
    expect(parseHex(' #0b6e4f ')).toEqual([11, 110, 79]);
    expect(parseHex('#fff')).toEqual([255, 255, 255]);
    expect(parseHex('red')).toEqual([0, 0, 0]);
    expect(mix([0, 100, 200], [100, 0, 0], 0.5)).toEqual([50, 50, 100]);
    expect(css([1, 2, 3])).toBe('rgb(1 2 3)');
  });

  test('what failed is far from what passed in lightness, also without glyphs', () => {
    const tokens: Readonly<Record<string, string>> = {
      '--bg': '#ffffff',
      '--pass': '#0b6e4f',
      '--fail': '#b3261e',
    };
    const { small } = readColours((name) => tokens[name] ?? '#888888');
    const lightness = ([red, green, blue]: readonly number[]) =>
      0.3 * (red ?? 0) + 0.6 * (green ?? 0) + 0.1 * (blue ?? 0);
    expect(lightness(small.pass) - lightness(small.fail)).toBeGreaterThan(90);
  });

  test('the picture has one pixel a cell, in the order of the rows', () => {
    const colours = readColours((name) => (name === '--fail' ? '#b3261e' : '#ffffff'));
    const model = matrixModel(viewOf(['pp', 'nn', 'ff'], ['  ', '09', '  ']));
    const layout = layMatrix(model.groups, new Set(), { cell: 4, wide: 4 });
    expect(layout.shown).toEqual([2, 0, 1]);
    const image = matrixImage(
      { model, layout, colours },
      (width, height) =>
        ({
          width,
          height,
          data: new Uint8ClampedArray(width * height * 4),
          colorSpace: 'srgb',
          pixelFormat: 'rgba-unorm8',
        }) as ImageData,
    );
    const pixel = (at: number) => [...(image?.data.slice(at * 4, at * 4 + 4) ?? [])];
    expect([image?.width, image?.height]).toEqual([2, 3]);
    expect(pixel(0)).toEqual([...colours.small.fail, 255]);
    expect(pixel(2)).toEqual([...colours.small.pass, 255]);
    expect([pixel(4), pixel(5)]).toEqual([
      [...heatColour(colours, 0), 255],
      [...heatColour(colours, 9), 255],
    ]);
    const nothing = layMatrix(model.groups, new Set(['always fails', 'always passes', 'not judged']), {
      cell: 4,
      wide: 4,
    });
    expect(matrixImage({ model, layout: nothing, colours }, () => expect.fail())).toBeUndefined();
  });
});
