import { focusList } from './focus-list.ts';
import { useKeys } from './use-keys.ts';
import type { useRowSelection } from './use-row-selection.ts';

export type ListRows = ReturnType<typeof useRowSelection>;

interface ListKeysOptions {
  readonly rows: ListRows;
  readonly total: number;
  readonly onOpen: (index: number, isNewTab: boolean) => void;
  /** Another part of the page is shown than the list. */
  readonly isOff?: boolean;
}

/** What keys do in every list. */
export function useListKeys({ rows, total, onOpen, isOff = false }: ListKeysOptions): void {
  const hasNone = isOff || rows.cursor < 0;
  const goTo = (index: number) => {
    focusList();
    rows.goTo(index);
  };
  const extend = (step: 1 | -1) => {
    focusList();
    rows.extend(step);
  };
  useKeys('Lists', [
    { keys: ['j', 'ArrowDown'], what: 'Next row', run: () => goTo(rows.cursor + 1), isOff },
    { keys: ['k', 'ArrowUp'], what: 'Previous row', run: () => goTo(rows.cursor - 1), isOff },
    { keys: ['J', 'shift+ArrowDown'], what: 'Select, and on to the next', run: () => extend(1), isOff },
    {
      keys: ['K', 'shift+ArrowUp'],
      what: 'Select, and back to the one before',
      run: () => extend(-1),
      isOff,
    },
    { keys: 'Home', what: 'First row', run: () => goTo(0), isOff },
    { keys: 'End', what: 'Last row', run: () => goTo(total - 1), isOff },
    { keys: 'space', what: 'Select', run: () => rows.toggle(rows.cursor), isOff: hasNone },
    { keys: 'Enter', what: 'Open', run: () => onOpen(rows.cursor, false), isOff: hasNone },
    { keys: 'mod+Enter', what: 'Open in a new tab', run: () => onOpen(rows.cursor, true), isOff: hasNone },
    {
      keys: 'Escape',
      what: 'Select nothing',
      run: rows.clear,
      isOff: isOff || rows.selected.size === 0,
    },
  ]);
}
