import { useKeys } from '../ui/use-keys.ts';
import type { useRowSelection } from '../ui/use-row-selection.ts';

interface RunsKeysOptions {
  readonly rows: ReturnType<typeof useRowSelection>;
  readonly total: number;
  readonly onOpen: (index: number, isNewTab: boolean) => void;
  readonly onCompare: (() => void) | undefined;
  readonly onTag: (() => void) | undefined;
  readonly onExport: (() => void) | undefined;
  readonly onFailed: () => void;
}

/** What keys do in the list of runs. */
export function useRunsKeys(options: RunsKeysOptions): void {
  const { rows, total, onOpen, onCompare, onTag, onExport, onFailed } = options;
  const hasCursor = rows.cursor >= 0;
  useKeys('Lists', [
    { keys: ['j', 'ArrowDown'], what: 'Next row', run: () => rows.goTo(rows.cursor + 1) },
    { keys: ['k', 'ArrowUp'], what: 'Previous row', run: () => rows.goTo(rows.cursor - 1) },
    { keys: ['J', 'shift+ArrowDown'], what: 'Select, and on to the next', run: () => rows.extend(1) },
    { keys: ['K', 'shift+ArrowUp'], what: 'Select, and back to the one before', run: () => rows.extend(-1) },
    { keys: 'Home', what: 'First row', run: () => rows.goTo(0) },
    { keys: 'End', what: 'Last row', run: () => rows.goTo(total - 1) },
    { keys: 'space', what: 'Select', run: () => rows.toggle(rows.cursor), isOff: !hasCursor },
    { keys: 'Enter', what: 'Open', run: () => onOpen(rows.cursor, false), isOff: !hasCursor },
    { keys: 'mod+Enter', what: 'Open in a new tab', run: () => onOpen(rows.cursor, true), isOff: !hasCursor },
    { keys: 'c', what: 'Compare what is selected', run: () => onCompare?.(), isOff: onCompare === undefined },
    { keys: 't', what: 'Tag what is selected', run: () => onTag?.(), isOff: onTag === undefined },
    {
      keys: 'e',
      what: 'Copy the command that exports it',
      run: () => onExport?.(),
      isOff: onExport === undefined,
    },
    { keys: 'f', what: 'Only failed ones', run: onFailed },
    { keys: 'Escape', what: 'Select nothing', run: rows.clear, isOff: rows.selected.size === 0 },
  ]);
}
