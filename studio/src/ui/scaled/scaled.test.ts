import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowHeights } from './row-heights.ts';
import { ScaledScroll } from './scaled-scroll.ts';
import { scaleOf } from './scroll-scale.ts';

const height = fc.integer({ min: 1, max: 5_000 });
const someHeights = fc.array(height, { minLength: 1, maxLength: 300 });

describe('heights of rows', () => {
  test('are those of a plain list, whatever was appended and changed', () => {
    const changes = fc.array(fc.tuple(fc.nat(400), height), { maxLength: 60 });
    fc.assert(
      fc.property(someHeights, someHeights, changes, fc.nat(2_000_000), (first, more, sets, place) => {
        const heights = new RowHeights();
        const plain = [...first, ...more];
        heights.reset(first.length, (row) => first[row] ?? 0);
        heights.append(more.length, (row) => plain[row] ?? 0);
        for (const [row, value] of sets) {
          heights.set(row, value);
          if (row < plain.length) plain[row] = value;
        }
        const tops = plain.map((_, row) => plain.slice(0, row).reduce((sum, one) => sum + one, 0));
        expect(plain.map((_, row) => heights.topOf(row))).toEqual(tops);
        expect(heights.total).toBe(plain.reduce((sum, one) => sum + one, 0));
        expect(heights.rowAt(place)).toBe(tops.findLastIndex((top) => top <= place));
      }),
    );
  });

  test('a row of no height is skipped, and places outside belong to the first and the last', () => {
    const heights = new RowHeights();
    heights.reset(4, (row) => [10, 0, 10, 10][row] ?? 0);
    expect([-5, 0, 9, 10, 29, 30, 900].map((place) => heights.rowAt(place))).toEqual([0, 0, 0, 2, 3, 3, 3]);
    heights.reset(0, () => 0);
    expect([heights.rowAt(3), heights.total]).toEqual([0, 0]);
  });
});

describe('the scale', () => {
  const sizes = fc.tuple(fc.integer({ min: 0, max: 200_000_000 }), fc.integer({ min: 1, max: 3_000 }));

  test('is one while everything fits', () => {
    const scale = scaleOf(8_400_000, 900);
    expect([scale.spacer, scale.toContent(123_456), scale.toScroll(123_456)]).toEqual([
      8_400_000, 123_456, 123_456,
    ]);
  });

  test('reaches both ends, never turns back, and leads back to where one was', () => {
    fc.assert(
      fc.property(sizes, fc.double({ min: 0, max: 1, noNaN: true }), ([content, view], share) => {
        const scale = scaleOf(content, view);
        expect(scale.spacer).toBeLessThanOrEqual(16_000_000);
        expect(scale.toContent(0)).toBe(0);
        expect(scale.toContent(scale.scrollMax)).toBeCloseTo(scale.contentMax, 3);
        const scroll = share * scale.scrollMax;
        expect(scale.toContent(scroll + 1)).toBeGreaterThanOrEqual(scale.toContent(scroll));
        expect(scale.toScroll(scale.toContent(scroll))).toBeCloseTo(scroll, 3);
      }),
    );
  });
});

/** A list in a browser: what is written is what is read back, rounded as Chromium does. */
class FakeBrowser {
  readonly list: ScaledScroll;
  scrollTop = 0;

  constructor(heights: readonly number[], view: number, spacerMax: number) {
    this.list = new ScaledScroll(spacerMax);
    this.list.change((rows) => rows.reset(heights.length, (row) => heights[row] ?? 0));
    this.list.setView(view);
  }

  scrollBy(step: number): void {
    const max = Math.max(0, this.list.spacer - this.list.view);
    this.scrollTop = Math.max(0, Math.min(max, this.scrollTop + step));
    this.list.scrolled(this.scrollTop);
    if (this.list.isAtWall) this.settle();
  }

  settle(): void {
    const scroll = this.list.settle();
    if (scroll !== undefined) this.goTo(scroll);
  }

  goTo(scroll: number): void {
    this.scrollTop = Math.round(scroll * 64) / 64;
    this.list.scrolled(this.scrollTop);
  }

  /** Where a row is on the screen. */
  placeOf(row: number): number {
    return this.list.placeOf(row) - this.scrollTop;
  }
}

const VIEW = 700;
/** Small, so that short lists are compressed as long ones are. */
const SPACER = 40_000;
const tallRows = fc.array(height, { minLength: 20, maxLength: 200 });

describe('scrolling', () => {
  test('every row can be gone to, and is then at the upper edge or as near to it as the end allows', () => {
    fc.assert(
      fc.property(tallRows, fc.nat(10_000), (heights, pick) => {
        const browser = new FakeBrowser(heights, VIEW, SPACER);
        const row = pick % heights.length;
        browser.goTo(browser.list.goTo(browser.list.heights.topOf(row)));
        const total = browser.list.heights.total;
        const wanted = Math.max(0, browser.list.heights.topOf(row) - Math.max(0, total - VIEW));
        expect(browser.placeOf(row)).toBeCloseTo(wanted, 0);
        expect(browser.list.rows().first).toBeLessThanOrEqual(row);
        expect(browser.list.rows().last).toBeGreaterThanOrEqual(row);
      }),
    );
  });

  test('every row is seen when one scrolls through by small steps, down and up again', () => {
    fc.assert(
      fc.property(tallRows, fc.integer({ min: 60, max: 690 }), (heights, step) => {
        const browser = new FakeBrowser(heights, VIEW, SPACER);
        for (const sign of [1, -1]) {
          const seen = new Set<number>();
          // A step into a wall is cut short, so a few more may be needed than the rows are high.
          const steps = (browser.list.heights.total / step) * 1.2 + 10;
          for (let done = 0; done < steps; done++) {
            const { first, last } = browser.list.rows();
            for (let row = first; row <= last; row++) seen.add(row);
            browser.scrollBy(sign * step);
          }
          expect(seen.size).toBe(heights.length);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('the scroll bar can be dragged to any place, and further down never shows an earlier row', () => {
    fc.assert(
      fc.property(tallRows, fc.array(fc.nat(SPACER), { minLength: 2, maxLength: 30 }), (heights, places) => {
        const browser = new FakeBrowser(heights, VIEW, SPACER);
        const max = Math.max(0, browser.list.spacer - VIEW);
        const firsts = places
          .map((place) => Math.min(max, place))
          .sort((a, b) => a - b)
          .map((place) => {
            browser.goTo(place === 0 ? 0 : max);
            browser.goTo(place);
            browser.settle();
            return browser.list.top;
          });
        expect(firsts.toSorted((a, b) => a - b)).toEqual(firsts);
        browser.goTo(max);
        browser.settle();
        expect(browser.list.rows().last).toBe(heights.length - 1);
      }),
    );
  });

  test('small steps move rows by as much, however compressed the list is', () => {
    const browser = new FakeBrowser(
      Array.from({ length: 5_000 }, () => 100),
      VIEW,
      SPACER,
    );
    browser.goTo(20_000);
    const row = browser.list.rows().first + 2;
    const before = browser.placeOf(row);
    browser.scrollBy(120);
    expect(browser.placeOf(row)).toBeCloseTo(before - 120, 5);
  });

  test('rows that turn out taller or shorter leave what is seen where it is, and so does settling', () => {
    const sets = fc.array(fc.tuple(fc.nat(400), height), { maxLength: 40 });
    fc.assert(
      fc.property(tallRows, fc.nat(SPACER), sets, (heights, scroll, changes) => {
        const browser = new FakeBrowser(heights, VIEW, SPACER);
        browser.goTo(Math.min(scroll, browser.list.spacer - VIEW));
        const { heights: rows, top } = browser.list;
        const anchor = rows.topOf(rows.rowAt(top)) < top ? rows.rowAt(top) + 1 : rows.rowAt(top);
        // Nobody can keep a place that is gone: at the very end rows come down when others shrink.
        fc.pre(anchor < heights.length && rows.topOf(anchor) < top + VIEW);
        const isAbove = changes.filter(([row]) => row < anchor);
        const before = browser.placeOf(anchor);
        browser.list.change((list) => {
          for (const [row, value] of isAbove) list.set(row, value);
        });
        fc.pre(rows.topOf(anchor) >= before);
        expect(browser.placeOf(anchor)).toBeCloseTo(before, 3);
        browser.settle();
        expect(browser.placeOf(anchor)).toBeCloseTo(before, 0);
      }),
    );
  });

  test('when rows are hidden, the first that was seen stays', () => {
    const browser = new FakeBrowser(
      Array.from({ length: 1_000 }, () => 50),
      VIEW,
      SPACER,
    );
    browser.goTo(browser.list.goTo(20_010));
    const before = browser.placeOf(401);
    browser.list.change(
      (rows) => rows.reset(500, () => 50),
      (row) => Math.floor(row / 2),
    );
    expect(browser.placeOf(200)).toBeCloseTo(before, 3);
    browser.settle();
    expect(browser.placeOf(200)).toBeCloseTo(before, 1);
  });

  test('at the top there is no wall: rows above can be reached after others have grown', () => {
    const browser = new FakeBrowser(
      Array.from({ length: 100 }, () => 50),
      VIEW,
      SPACER,
    );
    browser.goTo(600);
    browser.list.change((rows) => void rows.set(2, 900));
    for (let step = 0; step < 40; step++) browser.scrollBy(-100);
    expect(browser.placeOf(0)).toBe(0);
  });
});
