/** Browsers end near 33 million pixels, Firefox near 17; beyond 16 their floats lose whole pixels, too. */
export const SPACER_MAX = 16_000_000;
/** So much at either end is scrolled as it is, so that nobody runs into a wall while looking at the first or the last rows. */
const EDGE = 1_000_000;

/** How the scroll bar stands to what is scrolled. Both are counted from the top of what is seen. */
export interface ScrollScale {
  /** The height that the browser is given. */
  readonly spacer: number;
  /** The furthest that can be scrolled, in the browser and in what is shown. */
  readonly scrollMax: number;
  readonly contentMax: number;
  toContent(scroll: number): number;
  toScroll(content: number): number;
}

/** As it is while it fits; beyond that, the middle is compressed. */
export function scaleOf(content: number, view: number, spacerMax = SPACER_MAX): ScrollScale {
  const spacer = Math.min(content, spacerMax);
  const scrollMax = Math.max(0, spacer - view);
  const contentMax = Math.max(0, content - view);
  const edge = Math.min(EDGE, scrollMax / 4);
  // By how much more what is shown moves than the scroll bar, between the edges.
  const ratio = scrollMax === contentMax ? 1 : (contentMax - 2 * edge) / (scrollMax - 2 * edge);
  return {
    spacer,
    scrollMax,
    contentMax,
    toContent: (scroll) => {
      if (scroll <= edge || ratio === 1) return clamp(scroll, contentMax);
      if (scroll >= scrollMax - edge) return clamp(contentMax - (scrollMax - scroll), contentMax);
      return edge + (scroll - edge) * ratio;
    },
    toScroll: (place) => {
      if (place <= edge || ratio === 1) return clamp(place, scrollMax);
      if (place >= contentMax - edge) return clamp(scrollMax - (contentMax - place), scrollMax);
      return edge + (place - edge) / ratio;
    },
  };
}

function clamp(value: number, max: number): number {
  return Math.max(0, Math.min(value, max));
}
