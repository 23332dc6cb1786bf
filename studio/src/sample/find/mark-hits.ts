/** Marks a text where it is seen, with the browser's own highlights: no element is touched for it. */
export function markHits(root: HTMLElement, text: string, currentEvent: number | undefined): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete('find-hit');
  CSS.highlights.delete('find-current');
  if (text === '') return;
  const all: Range[] = [];
  const current: Range[] = [];
  for (const range of rangesOf(root, text)) {
    const { startContainer } = range;
    const event = startContainer.parentElement?.closest<HTMLElement>('[data-event]')?.dataset.event;
    (event === String(currentEvent) ? current : all).push(range);
  }
  if (all.length > 0) CSS.highlights.set('find-hit', new Highlight(...all));
  if (current.length > 0) CSS.highlights.set('find-current', new Highlight(...current));
}

const RANGES_MAX = 2_000;

function* rangesOf(root: HTMLElement, text: string): Generator<Range> {
  const wanted = text.toLowerCase();
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let found = 0;
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const content = node.nodeValue?.toLowerCase() ?? '';
    for (let at = content.indexOf(wanted); at >= 0; at = content.indexOf(wanted, at + wanted.length)) {
      if (found++ >= RANGES_MAX || at + wanted.length > (node.nodeValue?.length ?? 0)) return;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      yield range;
    }
  }
}
