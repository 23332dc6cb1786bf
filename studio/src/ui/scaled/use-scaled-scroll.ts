import { useEffect, useLayoutEffect, useReducer, useRef } from 'react';
import { flushSync } from 'react-dom';
import { ScaledScroll } from './scaled-scroll.ts';

/** So many pixels above and below what is seen are rendered … */
const BEYOND = 600;
/** … fewer while somebody flies past, because most of them would be gone before they are seen … */
const BEYOND_FLYING = 150;
/** … and rendered anew when fewer are left. */
const BEYOND_MIN = 120;
const REST_MS = 150;
/** Whoever is so near to the end follows it. */
const NEAR_END = 30;

export interface ScaledRows {
  readonly count: number;
  readonly estimate: (row: number) => number;
  /** Another when rows are others than before, or have other heights; not when some are only appended. */
  readonly version: unknown;
  /** Which row of the new version a row of the old one is. */
  readonly rowAfter?: ((row: number) => number) | undefined;
  /** Stays at the end while rows are appended, if it is there. */
  readonly isFollowing?: boolean | undefined;
  /** After every move: what is seen. */
  readonly onView?: ((first: number, last: number) => void) | undefined;
}

interface Places {
  readonly scroller: HTMLElement;
  readonly spacer: HTMLElement;
  readonly rows: HTMLElement;
}

/** Ties rows, scroll bar and heights together; the logic is in `ScaledScroll`. */
export class ScaledListState {
  readonly scroll = new ScaledScroll();
  #places: Places | undefined;
  #rendered = { first: 0, last: -1 };
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  #isDragged = false;
  #beyond = BEYOND;
  #render: () => void = () => undefined;
  #latest: ScaledRows | undefined;

  get range(): { readonly first: number; readonly last: number } {
    return this.#rendered;
  }

  /** Before rows are rendered. */
  renderRange(): { readonly first: number; readonly last: number } {
    this.#rendered = this.scroll.rows(this.#beyond);
    return this.#rendered;
  }

  attach(places: Places, render: () => void): () => void {
    this.#places = places;
    this.#render = render;
    const sizes = new ResizeObserver(() => this.#resized());
    sizes.observe(places.scroller);
    sizes.observe(places.rows);
    const onScroll = () => this.#scrolled();
    const onDown = (event: PointerEvent) => {
      this.#isDragged = event.offsetX >= places.scroller.clientWidth;
    };
    const onUp = () => {
      this.#isDragged = false;
      this.#restSoon();
    };
    places.scroller.addEventListener('scroll', onScroll, { passive: true });
    places.scroller.addEventListener('pointerdown', onDown);
    addEventListener('pointerup', onUp);
    return () => {
      sizes.disconnect();
      clearTimeout(this.#restTimer);
      places.scroller.removeEventListener('scroll', onScroll);
      places.scroller.removeEventListener('pointerdown', onDown);
      removeEventListener('pointerup', onUp);
    };
  }

  /** The rows are others now, or more. Gives whether they have to be rendered. */
  take(rows: ScaledRows): boolean {
    const before = this.#latest;
    this.#latest = rows;
    const { heights } = this.scroll;
    if (before?.version === rows.version && heights.count === rows.count) return false;
    const isFollowed = rows.isFollowing === true && this.scroll.belowEnd <= NEAR_END;
    if (before?.version === rows.version && rows.count > heights.count)
      this.scroll.change((all) => all.append(rows.count - all.count, rows.estimate));
    else this.scroll.change((all) => all.reset(rows.count, rows.estimate), rows.rowAfter);
    this.#putSpacer();
    if (isFollowed) this.#write(this.scroll.goTo(Number.POSITIVE_INFINITY));
    return true;
  }

  /** After rows were rendered: their heights are known now. */
  measure(): void {
    const { rows } = this.#places ?? {};
    if (rows === undefined) return;
    const isFollowed = this.#latest?.isFollowing === true && this.scroll.belowEnd <= NEAR_END;
    const measured = [...rows.children].map((row) => row.getBoundingClientRect().height);
    const { first } = this.#rendered;
    const { heights } = this.scroll;
    if (measured.some((height, at) => height !== heights.heightOf(first + at)))
      this.scroll.change((all) => {
        for (const [at, height] of measured.entries()) all.set(first + at, height);
      });
    this.#putSpacer();
    rows.style.top = `${this.scroll.placeOf(first)}px`;
    if (isFollowed) this.#write(this.scroll.goTo(Number.POSITIVE_INFINITY));
    if (this.scroll.isAtWall) this.#settle();
    this.#tellView();
  }

  /** A row's height is to be guessed anew: it was folded or unfolded. */
  forget(row: number): void {
    const height = this.#latest?.estimate(row);
    if (height !== undefined) this.scroll.change((all) => void all.set(row, height));
  }

  goTo(place: number): void {
    this.#write(this.scroll.goTo(place));
    this.#render();
  }

  #scrolled(): void {
    const { scroller } = this.#places ?? {};
    if (scroller === undefined) return;
    this.scroll.scrolled(scroller.scrollTop);
    if (this.scroll.isAtWall && !this.#isDragged) this.#settle();
    this.#follow();
    this.#restSoon();
  }

  /** Renders when rows that are nearly seen are not there. */
  #follow(): void {
    const { first, last } = this.scroll.rows(BEYOND_MIN);
    const isFlying = first > this.#rendered.last || last < this.#rendered.first;
    if (isFlying) this.#beyond = BEYOND_FLYING;
    if (first < this.#rendered.first || last > this.#rendered.last) flushSync(this.#render);
    else this.#placeRows();
    this.#tellView();
  }

  #placeRows(): void {
    const { rows } = this.#places ?? {};
    if (rows !== undefined) rows.style.top = `${this.scroll.placeOf(this.#rendered.first)}px`;
  }

  #restSoon(): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      const wasFlying = this.#beyond !== BEYOND;
      this.#beyond = BEYOND;
      if (wasFlying) this.#render();
      if (this.#isDragged) return;
      this.#settle();
      this.#placeRows();
    }, REST_MS);
  }

  #settle(): void {
    const scroll = this.scroll.settle();
    if (scroll !== undefined) this.#write(scroll);
  }

  #write(scrollTop: number): void {
    const { scroller } = this.#places ?? {};
    if (scroller === undefined) return;
    scroller.scrollTop = scrollTop;
    // The browser rounds; rows have to stand where it stopped.
    this.scroll.scrolled(scroller.scrollTop);
    this.#placeRows();
  }

  #putSpacer(): void {
    const { spacer } = this.#places ?? {};
    if (spacer !== undefined) spacer.style.height = `${this.scroll.spacer}px`;
  }

  #resized(): void {
    const { scroller } = this.#places ?? {};
    if (scroller === undefined) return;
    if (scroller.clientHeight !== this.scroll.view) {
      this.scroll.setView(scroller.clientHeight);
      this.#render();
    }
    this.measure();
    const { first, last } = this.scroll.rows(BEYOND_MIN);
    if (first < this.#rendered.first || last > this.#rendered.last) this.#render();
  }

  #tellView(): void {
    const { first, last } = this.scroll.rows();
    this.#latest?.onView?.(first, last);
  }
}

export function useScaledScroll(rows: ScaledRows) {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const state = useRef<ScaledListState>(undefined);
  state.current ??= new ScaledListState();
  const list = state.current;
  const scroller = useRef<HTMLDivElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const inside = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (scroller.current === null || spacer.current === null || inside.current === null) return;
    list.scroll.setView(scroller.current.clientHeight);
    return list.attach({ scroller: scroller.current, spacer: spacer.current, rows: inside.current }, render);
  }, [list]);
  useLayoutEffect(() => {
    if (list.take(rows)) render();
    list.measure();
  });
  // What was measured may leave room for more rows than were guessed.
  useEffect(() => {
    const { first, last } = list.scroll.rows(BEYOND_MIN);
    if (first < list.range.first || last > list.range.last) render();
  });
  return { list, scroller, spacer, inside };
}
