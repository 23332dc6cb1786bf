import { RowHeights } from './row-heights.ts';
import { type ScrollScale, SPACER_MAX, scaleOf } from './scroll-scale.ts';

/**
 * A step that is larger was not made by a wheel or a key but by the scroll bar: there, one pixel of a compressed list is thousands.
 */
const STEP_MAX = 6_000;

export interface RowRange {
  readonly first: number;
  /** Inclusive; before `first` when there are no rows. */
  readonly last: number;
}

/**
 * Where rows are while they are scrolled. Rows have a place in the content, which may be higher than a browser can scroll; the
 * browser scrolls a spacer. Between the two is a shift. Small steps leave it alone, so rows move with the page by themselves and
 * at their natural speed; a jump by the scroll bar sets it anew; rows that turn out taller or shorter above what is seen change it
 * by as much, so that nothing that is seen moves. When scrolling has come to rest, `settle` says where the scroll bar belongs.
 */
export class ScaledScroll {
  readonly heights = new RowHeights();
  readonly #spacerMax: number;
  #scale: ScrollScale = scaleOf(0, 0);
  #view = 0;
  /** Where the browser is, as far as we know. */
  #scroll = 0;
  #shift = 0;

  constructor(spacerMax = SPACER_MAX) {
    this.#spacerMax = spacerMax;
  }

  get spacer(): number {
    return this.#scale.spacer;
  }

  get view(): number {
    return this.#view;
  }

  /** What is at the upper edge of what is seen, as a place in the content. */
  get top(): number {
    return Math.max(0, Math.min(this.#scroll - this.#shift, this.#scale.contentMax));
  }

  /** How far what is seen ends above the end. */
  get belowEnd(): number {
    return this.#scale.contentMax - this.top;
  }

  /** The browser has scrolled. */
  scrolled(scroll: number): void {
    const step = scroll - this.#scroll;
    this.#scroll = scroll;
    if (Math.abs(step) > STEP_MAX) this.#shift = scroll - this.#scale.toContent(scroll);
  }

  /** Where the browser has to scroll so that bar and rows agree again; undefined when they do. */
  settle(): number | undefined {
    const { top } = this;
    const scroll = this.#scale.toScroll(top);
    if (Math.abs(scroll - this.#scroll) < 1 && Math.abs(top - (this.#scroll - this.#shift)) < 1) return;
    return this.#put(scroll, top);
  }

  /** The browser is at an end, and the rows are not: it cannot wait for rest. */
  get isAtWall(): boolean {
    const { scrollMax, contentMax } = this.#scale;
    const unseen = this.#scroll - this.#shift;
    return (
      (this.#scroll <= 0 && unseen > 0.5) ||
      (this.#scroll >= scrollMax - 0.5 && unseen < contentMax - 0.5) ||
      unseen < -0.5 ||
      unseen > contentMax + 0.5
    );
  }

  /** Goes to a place in the content; gives where the browser has to scroll. */
  goTo(place: number): number {
    const top = Math.max(0, Math.min(place, this.#scale.contentMax));
    return this.#put(this.#scale.toScroll(top), top);
  }

  /** Where a row has to be for the browser: a place in the spacer. */
  placeOf(row: number): number {
    return this.heights.topOf(row) + this.#shift;
  }

  /** Rows that are seen, and those within so many pixels above and below. */
  rows(beyond = 0): RowRange {
    const { heights, top } = this;
    if (heights.count === 0) return { first: 0, last: -1 };
    return { first: heights.rowAt(top - beyond), last: heights.rowAt(top + this.#view + beyond) };
  }

  setView(view: number): void {
    this.#view = view;
    this.#rescale();
  }

  /**
   * Changes heights, or the rows themselves, so that what is seen stays where it is. `rowAfter` says which row the one that was
   * first in view is afterwards.
   */
  change(apply: (heights: RowHeights) => void, rowAfter: (row: number) => number = (row) => row): void {
    const anchor = this.#anchor();
    const before = this.heights.topOf(anchor) - this.top;
    apply(this.heights);
    this.#rescale();
    const after = Math.min(this.heights.topOf(rowAfter(anchor)) - before, this.#scale.contentMax);
    this.#shift = this.#scroll - Math.max(0, after);
  }

  /** The first row that begins within what is seen; the one that fills it when there is none. */
  #anchor(): number {
    const { heights, top } = this;
    const row = heights.rowAt(top);
    const isCutOff = heights.topOf(row) < top && row + 1 < heights.count;
    return isCutOff && heights.topOf(row + 1) < top + this.#view ? row + 1 : row;
  }

  #put(scroll: number, top: number): number {
    this.#scroll = scroll;
    this.#shift = scroll - top;
    return scroll;
  }

  #rescale(): void {
    this.#scale = scaleOf(this.heights.total, this.#view, this.#spacerMax);
  }
}
