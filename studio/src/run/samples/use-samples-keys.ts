import { useKeys } from '../../ui/use-keys.ts';
import type { SamplesList } from './use-samples-list.ts';

interface SamplesKeysOptions {
  readonly list: SamplesList;
  readonly onFailing: () => void;
  readonly onCopy: () => void;
}

/** What keys do in the table of samples. */
export function useSamplesKeys({ list, onFailing, onCopy }: SamplesKeysOptions): void {
  const { selection, rows } = list;
  const { cursor } = selection;
  const hasCursor = cursor >= 0;
  const isUnfolded = () => {
    const item = list.itemAt(rows.at(cursor).sample);
    return item !== undefined && list.unfolded.has(String(item.id));
  };
  useKeys('Lists', [
    { keys: ['j', 'ArrowDown'], what: 'Next row', run: () => selection.goTo(cursor + 1) },
    { keys: ['k', 'ArrowUp'], what: 'Previous row', run: () => selection.goTo(cursor - 1) },
    { keys: ['J', 'shift+ArrowDown'], what: 'Select, and on to the next', run: () => selection.extend(1) },
    {
      keys: ['K', 'shift+ArrowUp'],
      what: 'Select, and back to the one before',
      run: () => selection.extend(-1),
    },
    { keys: 'Home', what: 'First row', run: () => selection.goTo(0) },
    { keys: 'End', what: 'Last row', run: () => selection.goTo(rows.count - 1) },
    {
      keys: 'ArrowRight',
      what: 'Unfold epochs',
      run: () => !isUnfolded() && list.fold(cursor),
      isOff: !hasCursor,
    },
    {
      keys: 'ArrowLeft',
      what: 'Fold epochs',
      run: () => isUnfolded() && list.fold(cursor),
      isOff: !hasCursor,
    },
    { keys: 'space', what: 'Select', run: () => selection.toggle(cursor), isOff: !hasCursor },
    { keys: 'Enter', what: 'Open', run: () => list.openAt(cursor, false), isOff: !hasCursor },
    { keys: 'mod+Enter', what: 'Open in a new tab', run: () => list.openAt(cursor, true), isOff: !hasCursor },
    { keys: 'f', what: 'Failing only', run: onFailing },
    { keys: 'e', what: 'Copy the command that gives these rows', run: onCopy },
    { keys: 'Escape', what: 'Select nothing', run: selection.clear, isOff: selection.selected.size === 0 },
  ]);
}
