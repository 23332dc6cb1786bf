import { textPattern } from '../../../../src/views/index.ts';

const HIT = 'find-hit';
const CURRENT = 'find-current';

/**
 * Marks a text where it is seen, with the browser's own highlights: no element is touched for it. Gives the first place in the event
 * that one is at, which is marked apart from all others; undefined when it is not seen there.
 */
export function markHits(
  root: HTMLElement,
  text: string,
  currentEvent: number | undefined,
): Range | undefined {
  if (!('highlights' in CSS)) return undefined;
  CSS.highlights.delete(HIT);
  CSS.highlights.delete(CURRENT);
  if (text === '') return undefined;
  const others: Range[] = [];
  let current: Range | undefined;
  for (const range of rangesOf(root, text)) {
    if (current === undefined && eventOf(range) === String(currentEvent)) current = range;
    else others.push(range);
  }
  if (others.length > 0) CSS.highlights.set(HIT, new Highlight(...others));
  if (current !== undefined) CSS.highlights.set(CURRENT, new Highlight(current));
  return current;
}

function eventOf({ startContainer }: Range): string | undefined {
  return startContainer.parentElement?.closest<HTMLElement>('[data-event]')?.dataset.event;
}

const RANGES_MAX = 2_000;

function* rangesOf(root: HTMLElement, text: string): Generator<Range> {
  const pattern = textPattern(text);
  let found = 0;
  for (const run of runsOf(root)) {
    const content = run.map(({ data }) => data).join('');
    for (const { index, 0: hit } of content.matchAll(pattern)) {
      if (found++ >= RANGES_MAX) return;
      yield rangeIn(run, index, index + hit.length);
    }
  }
}

/** What stands within a line: a word may go from one into the next, as in code with colours. */
const INLINE = 'a, b, code, del, em, i, span, strong, sub, sup';

/** Texts that are read as one. What is only read aloud is none. */
function* runsOf(root: HTMLElement): Generator<readonly Text[]> {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let run: Text[] = [];
  let block: Element | undefined;
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const { parentElement } = node;
    if (!(node instanceof Text) || parentElement === null || parentElement.closest('.visually-hidden'))
      continue;
    const own = blockOf(parentElement);
    if (own !== block && run.length > 0) {
      yield run;
      run = [];
    }
    block = own;
    run.push(node);
  }
  if (run.length > 0) yield run;
}

function blockOf(element: Element): Element {
  let block = element;
  while (block.matches(INLINE) && block.parentElement !== null) block = block.parentElement;
  return block;
}

function rangeIn(run: readonly Text[], from: number, to: number): Range {
  const range = document.createRange();
  let at = 0;
  for (const node of run) {
    const end = at + node.length;
    if (from >= at && from < end) range.setStart(node, from - at);
    if (to > at && to <= end) range.setEnd(node, to - at);
    at = end;
  }
  return range;
}
