import { useMemo, useRef } from 'react';
import { z } from 'zod';
import type { RunView, SamplesPage } from '../../../../src/server/api.ts';
import { useAsk } from '../../data/use-ask.ts';
import { useMedia } from '../../ui/use-media.ts';
import { usePersisted } from '../../ui/use-persisted.ts';
import type { RunAddress } from '../use-run-address.ts';
import { choosableSampleColumns, sampleColumnsNamed, sampleFactsOf } from './sample-columns.ts';

/** From here on there is room for the history of each sample. */
const WIDE = '(min-width: 1280px)';
const names = z.array(z.string());

/** The columns of the table: those of the address, else those of this browser, else the usual ones. */
export function useSampleColumns(address: RunAddress, view: RunView, page: SamplesPage | undefined) {
  const [kept, keep] = usePersisted('holdfast.columns.samples', names, []);
  const known = sampleFactsOf(page, view.counts);
  // A filter may leave no sample that hit a limit: the column stays once there was one.
  const hadLimits = useRef(false);
  hadLimits.current ||= known.hasLimits;
  const about = useAsk('about', {}, {});
  const facts = {
    ...known,
    hasLimits: hadLimits.current,
    hasHistory: about.data?.isExport === false,
    isWide: useMedia(WIDE),
  };
  const chosenText = (address.cols === '' ? kept : address.cols.split(',')).join(',');
  const factsText = JSON.stringify(facts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts stand for what they are made of, which is made anew each time
  const columns = useMemo(
    () => sampleColumnsNamed(chosenText === '' ? [] : chosenText.split(','), facts),
    [chosenText, factsText],
  );
  const setColumns = (chosen: readonly string[]) => {
    keep([...chosen]);
    address.change({ cols: chosen.join(',') });
  };
  return { columns, setColumns, all: () => choosableSampleColumns(facts) };
}
