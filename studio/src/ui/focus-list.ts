/**
 * Gives the focus to the list of the page. Keys go through it wherever the focus is; but what is read aloud, and what Enter and space
 * press, is where the focus is: whoever goes on by keys means the row, not the button that was clicked last.
 */
export function focusList(): void {
  const { activeElement } = document;
  const list =
    activeElement?.closest<HTMLElement>(LIST) ?? document.querySelector<HTMLElement>(`main :is(${LIST})`);
  if (list !== null && list !== activeElement) list.focus({ preventScroll: true });
}

const LIST = '[role=grid], [role=treegrid]';
