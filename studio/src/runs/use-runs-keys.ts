import { useKeys } from '../ui/use-keys.ts';
import { type ListRows, useListKeys } from '../ui/use-list-keys.ts';

interface RunsKeysOptions {
  readonly rows: ListRows;
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
  useListKeys({ rows, total, onOpen });
  useKeys('Lists', [
    { keys: 'c', what: 'Compare what is selected', run: () => onCompare?.(), isOff: onCompare === undefined },
    { keys: 't', what: 'Tag what is selected', run: () => onTag?.(), isOff: onTag === undefined },
    {
      keys: 'e',
      what: 'Copy the command that exports it',
      run: () => onExport?.(),
      isOff: onExport === undefined,
    },
    { keys: 'f', what: 'Only failed ones', run: onFailed },
  ]);
}
