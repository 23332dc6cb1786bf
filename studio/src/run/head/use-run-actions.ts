import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { useAsk } from '../../data/use-ask.ts';
import { useKeys } from '../../ui/use-keys.ts';
import { whyNotSaid } from '../../ui/why-not-said.ts';
import type { RunAddress } from '../use-run-address.ts';
import { RUN_TABS } from '../use-run-address.ts';

/** What can be done with the run as a whole, by buttons and by keys. */
export function useRunActions(view: RunView, address: RunAddress) {
  const navigate = useNavigate();
  const about = useAsk('about', {}, {});
  const [opened, setOpened] = useState<'notes' | 'note' | 'tag'>();
  const { previous, item } = view;
  const cannotWrite = whyNotSaid(about.data, [item]);
  const onCompare =
    previous === undefined
      ? undefined
      : () => void navigate({ to: '/compare', search: { runs: `${previous.run},${item.run}` } });
  const onNote = () => setOpened('note');
  const onTag = () => setOpened('tag');
  useKeys('Run', [
    {
      keys: 'c',
      what: 'Compare with the previous run',
      run: () => onCompare?.(),
      isOff: onCompare === undefined,
    },
    { keys: 'm', what: 'Write a note', run: onNote, isOff: cannotWrite !== undefined },
    { keys: 't', what: 'Tag the run', run: onTag, isOff: cannotWrite !== undefined },
    { keys: 'u', what: 'Up to all runs', run: () => void navigate({ to: '/runs' }) },
    ...RUN_TABS.map((tab, index) => ({
      keys: String(index + 1),
      what: tab.replace(/^./, (letter) => letter.toUpperCase()),
      run: () => address.setTab(tab),
    })),
  ]);
  return {
    opened,
    cannotWrite,
    onCompare,
    onNote,
    onTag,
    onNotes: () => setOpened('notes'),
    onClose: () => setOpened(undefined),
  };
}

export type RunActions = ReturnType<typeof useRunActions>;
