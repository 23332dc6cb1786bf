import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import { matrixImage, type PaintInput, paintMatrix } from './paint-matrix.ts';

type Painted = Omit<PaintInput, 'scroll' | 'ratio' | 'size'>;
type Pictured = Pick<PaintInput, 'model' | 'layout' | 'colours'>;

/** So the browser's tools, and the bench, find how long it took: from the letters of the cells to the pixels of the canvas. */
export const PAINT_MEASURE = 'matrix-paint';

/** Keeps the canvas painted: as a whole when something of it is another, and what is seen of it when it is scrolled. */
export function usePainted(
  canvas: RefObject<HTMLCanvasElement | null>,
  scroller: RefObject<HTMLElement | null>,
  painted: Painted,
  size: { readonly width: number; readonly height: number } | undefined,
): void {
  const pictureOf = usePicture();
  const paint = useCallback(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || size === undefined) return false;
    const scroll = { x: scroller.current?.scrollLeft ?? 0, y: scroller.current?.scrollTop ?? 0 };
    const { picture, isNew } = pictureOf(painted);
    paintMatrix(context, picture, { ...painted, size, scroll, ratio: devicePixelRatio });
    return isNew;
  }, [canvas, scroller, pictureOf, painted, size]);
  useLayoutEffect(() => {
    if (canvas.current === null || size === undefined) return;
    const start = performance.now();
    const [width, height] = [size.width * devicePixelRatio, size.height * devicePixelRatio].map(Math.round);
    if (canvas.current.width !== width) canvas.current.width = width ?? 0;
    if (canvas.current.height !== height) canvas.current.height = height ?? 0;
    const isNew = paint();
    if (isNew) performance.measure(PAINT_MEASURE, { start, end: performance.now() });
  }, [canvas, paint, size]);
  useEffect(() => {
    const watched = scroller.current;
    let frame = 0;
    const onScroll = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(paint);
    };
    watched?.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      watched?.removeEventListener('scroll', onScroll);
    };
  }, [scroller, paint]);
}

/** The picture with one pixel a cell, made anew only for other data, another order, size of cells or theme. */
function usePicture() {
  const made = useRef<{ of: Pictured; picture: HTMLCanvasElement | undefined }>(undefined);
  return useCallback(({ model, layout, colours }: Pictured) => {
    const last = made.current?.of;
    const isNew = last?.model !== model || last.layout !== layout || last.colours !== colours;
    if (isNew)
      made.current = { of: { model, layout, colours }, picture: pictureOf({ model, layout, colours }) };
    return { picture: made.current?.picture, isNew };
  }, []);
}

function pictureOf(of: Pictured): HTMLCanvasElement | undefined {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const image = matrixImage(of, (width, height) => context.createImageData(width, height));
  if (image === undefined) return undefined;
  canvas.width = image.width;
  canvas.height = image.height;
  context.putImageData(image, 0, 0);
  return canvas;
}
