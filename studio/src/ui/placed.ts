interface Box {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  readonly right: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const GAP = 4;

/** Where something that opens beside an anchor is put: below it, above where there is no room, and always within the window. */
export function placeBeside(anchor: Box, size: Size, room: Size, align: 'start' | 'end' = 'start') {
  const fitsBelow = anchor.bottom + GAP + size.height <= room.height;
  const fitsAbove = anchor.top - GAP - size.height >= 0;
  const top = fitsBelow || !fitsAbove ? anchor.bottom + GAP : anchor.top - GAP - size.height;
  const left = align === 'start' ? anchor.left : anchor.right - size.width;
  return {
    top: Math.max(GAP, Math.min(top, room.height - size.height - GAP)),
    left: Math.max(GAP, Math.min(left, room.width - size.width - GAP)),
  };
}

/** Puts a popover that is open beside its anchor. */
export function putBeside(anchor: Element, opened: HTMLElement, align?: 'start' | 'end'): void {
  const room = { width: document.documentElement.clientWidth, height: document.documentElement.clientHeight };
  const { top, left } = placeBeside(
    anchor.getBoundingClientRect(),
    opened.getBoundingClientRect(),
    room,
    align,
  );
  opened.style.top = `${top}px`;
  opened.style.left = `${left}px`;
}
